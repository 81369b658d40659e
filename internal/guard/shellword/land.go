package shellword

import "strings"

// clients lists the forges' own client programs. landers lists all programs that can reach a forge
// or affect a loop.
const (
	clients = "gh glab tea tea-cli hub"
	landers = clients + " git curl curlie wget wget2 http https xh xhs hooks claude"
)

// Lands reports whether text in any language could land code or affect a loop. The text must name
// one of landers and contain a word such as merge or push.
func Lands(text string) bool {
	const lands = "merge push api accept land approve review gate loop put post patch -p"
	unquoted := strings.NewReplacer("\\\n", "", `\n`, " ", `\t`, " ", `\`, "", `'`, "", `"`, "")
	for _, text := range []string{text, unquoted.Replace(text)} { // finds r"gh" and g''h
		if !HasPart(strings.ToLower(text), lands) {
			continue
		}
		if AnyOf(strings.FieldsFunc(text, apart), landers) {
			return true
		}
	}
	return false
}

// NamesClient reports whether text names a forge's own client program.
func NamesClient(text string) bool {
	return AnyOf(strings.FieldsFunc(text, apart), clients)
}

// Requests reports whether code in another language asks a forge to merge through a library or an
// HTTP request. The code then starts no program that the brake could judge.
func Requests(text string) bool {
	text = strings.ToLower(text)
	const libraries = "octokit get_pull( get_repo( .mergerequests pygithub isomorphic-git"
	const lands = ".merge( merge_method create_review( createreview( updateref( update_ref( .push("
	const sends = `put( put' put" put, post( post' post" post,`
	return HasPart(text, libraries) && HasPart(text, lands) ||
		HasPart(text, "/pulls/ /merge_requests/ /pulls` pulls/ /issues/") &&
			HasPart(strings.ReplaceAll(text, "/merge http", "/merge'"),
				`/merge" /merge' /merge`+"`") &&
			HasPart(strings.ReplaceAll(text, "put /", "put("), sends) ||
		HasPart(text, "mergepullrequest( mergepullrequest(input enqueuepullrequest(")
}

// apart reports whether c separates words, whatever the language of the text.
func apart(c rune) bool {
	return c > 0x7f || c == '$' || c == '@' || c != '-' && !NameByte(byte(c))
}
