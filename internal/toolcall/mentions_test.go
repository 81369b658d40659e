package toolcall

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMentions(t *testing.T) {
	for _, c := range []struct {
		text string
		want []int
	}{
		{"Implement issue #145", []int{145}},
		{"work on #44, #45 and #44", []int{44, 45}},
		{"PR 142 needs a fix", []int{142}},
		{"pull request 7", []int{7}},
		{"merge request !7", []int{7}},
		{"Issue: 9", []int{9}},
		{"issue number 9", []int{9}},
		{"https://github.com/a/b/pull/142/files", []int{142}},
		{"https://github.com/a/b/issues/3#issuecomment-99", []int{3}},
		{"acme/app#12", []int{12}},
		{"GH-12", []int{12}},
		{"(#12)", []int{12}},
		{"at 10:30, 5 files, 3.5 GB", nil},
		{"&#39; &#8217;", nil},
		{"#1.5 and #12abc", nil},
		{"issue 50% done", nil},
		{"the request 5", nil},
		{"colour #123456789", nil},
		{"see prs 4", []int{4}},
		{"", nil},
	} {
		if diff := cmp.Diff(c.want, mentions(c.text)); diff != "" {
			t.Errorf("Mentions(%q): %s", c.text, diff)
		}
	}
}
