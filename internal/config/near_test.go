package config

import "testing"

// A line that is nearly one of ours is named, so that doctor can warn of it.
func TestNearMisses(t *testing.T) {
	for _, text := range []string{
		"## SDD Configuration\n- **Overun**: 20\n",
		"## SDD Configuration\n### Tracker\n- Repoo: app\n",
		"## SDD Configuration\n### Tracker\n- **Repoo**: app\n",
	} {
		if c := Parse(text); len(c.Unread) != 1 {
			t.Errorf("%q: %v", text, c.Unread)
		}
	}
	for _, text := range []string{
		"## SDD Configuration\n- Note: text\n- **Max Dollars**: 5\n### Worktrees\n",
	} {
		if c := Parse(text); len(c.Unread) > 0 {
			t.Errorf("%q: %v", text, c.Unread)
		}
	}
}
