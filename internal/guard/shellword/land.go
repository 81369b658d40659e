package shellword

import "strings"

// clients are the forges' own programs, and landers all that reach a forge, with the words by which
// text lands something or is run.
const (
	clients = "gh glab tea tea-cli hub"
	landers = clients + ` curl curlie wget wget2 http https xh xhs push send-pack automerge land
ship eval hooks claude`
)

// CouldLand reports whether a text that is not read names anything that lands a change or reaches a
// forge. It looks at its words only, without their quotes and backslashes: an answer for texts too
// long or too deep to be walked.
func CouldLand(text string) bool {
	for w := range strings.FieldsFuncSeq(strings.ToLower(unquoted(text)), apart) {
		if Has(landers, w) || strings.Contains(w, "merge") {
			return true
		}
	}
	return false
}

// Lands reports whether a text of a language that is not read names a program that reaches a forge,
// and a word for landing something.
func Lands(text string) bool {
	const lands = "merge push api accept land approve review gate loop put post patch -p"
	for _, text := range []string{text, unquoted(text)} { // r"gh" and g''h
		if !HasPart(strings.ToLower(text), lands) {
			continue
		}
		for w := range strings.FieldsFuncSeq(text, apart) {
			if w == "git" || Has(landers, w) && !Has("push land ship eval automerge", w) {
				return true
			}
		}
	}
	return false
}

// unquoted is a text without quotes and backslashes.
func unquoted(text string) string {
	return strings.NewReplacer("\\\n", "", `\n`, " ", `\t`, " ", `\`, "", `'`, "",
		`"`, "").Replace(text)
}

// NamesClient reports whether a text names a forge's own client.
func NamesClient(text string) bool {
	for w := range strings.FieldsFuncSeq(text, apart) {
		if Has(clients, w) {
			return true
		}
	}
	return false
}

// Requests reports whether a text of another language asks a forge by itself to land something, by
// a library or an address. No program starts that a link could judge.
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

// apart reports whether a character ends a word of such a text.
func apart(c rune) bool {
	return c > 0x7f || c == '$' || c == '@' || c != '-' && !NameByte(byte(c))
}
