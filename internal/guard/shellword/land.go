package shellword

import "strings"

// landers are the programs that reach a forge, and the words by which text lands something or is
// run.
const landers = `gh gh-cli git-land glab hub tea tea-cli az aws bb bkt fj forgejo-cli berg lab gt
gcli arc spr ghstack av jj git-town git-spice curl curlie wget wget2 http https xh xhs push
send-pack dcommit automerge land ship eval hooks claude`

// CouldLand reports whether a text that is not read names anything that lands a change or reaches a
// forge. It looks at its words only, without their quotes and backslashes: an answer for texts too
// long or too deep to be walked.
func CouldLand(text string) bool {
	clean := strings.NewReplacer("\\\n", "", `\`, "", `'`, "", `"`, "").Replace(text)
	clean = strings.ToLower(clean)
	for w := range strings.FieldsFuncSeq(clean, apart) {
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
	if !HasPart(strings.ToLower(text), lands) {
		return false
	}
	for w := range strings.FieldsFuncSeq(text, apart) {
		if Has(landers, w) && !Has("push land ship eval automerge", w) || w == "git" {
			return true
		}
	}
	return false
}

// apart reports whether a character ends a word of such a text.
func apart(c rune) bool {
	return c > 0x7f || c == '$' || c == '@' || c != '-' && !NameByte(byte(c))
}
