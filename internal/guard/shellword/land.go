package shellword

import "strings"

// clients lists the forges' own clients. landers lists all programs that can reach a forge or
// affect a loop.
const (
	clients = "gh glab tea tea-cli hub"
	landers = clients + " git curl curlie wget wget2 http https xh xhs hooks claude"
)

// Lands reports whether text of any language names a program that reaches a forge and contains a
// word for landing something.
func Lands(text string) bool {
	const lands = "merge push api accept land approve review gate loop put post patch -p"
	unquoted := strings.NewReplacer("\\\n", "", `\n`, " ", `\t`, " ", `\`, "", `'`, "", `"`, "")
	for _, text := range []string{text, unquoted.Replace(text)} { // r"gh" and g''h
		if !HasPart(strings.ToLower(text), lands) {
			continue
		}
		if AnyOf(strings.FieldsFunc(text, apart), landers) {
			return true
		}
	}
	return false
}

// NamesClient reports whether text names a forge's own client.
func NamesClient(text string) bool {
	return AnyOf(strings.FieldsFunc(text, apart), clients)
}

// Requests reports whether text of another language asks a forge to land something through a
// library or an HTTP request. It starts no program, so the brake cannot judge it.
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

// apart reports whether a character separates words in text of any language.
func apart(c rune) bool {
	return c > 0x7f || c == '$' || c == '@' || c != '-' && !NameByte(byte(c))
}
