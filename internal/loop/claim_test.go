package loop

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// R47, R103: whatever several sessions claim in whatever order, each one that waits keeps the time
// since which it does until it begins or claims something else, and a question that was put is
// there for its answer until another takes its place.
func TestClaimsKeepTheirPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c *Claim
		waits, asks := map[string]time.Time{}, ""
		now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			now = now.Add(time.Minute)
			who := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "who")
			r := Request{Now: now, SessionID: who, PromptID: "p", Command: Command{Skill: Work}}
			switch rapid.SampledFrom([]string{"wait", "ask", "begin"}).Draw(t, "what") {
			case "wait":
				next, since := c.wait(r)
				if _, known := waits[who]; !known {
					waits[who] = now
				}
				if !since.Equal(waits[who]) {
					t.Fatalf("%s waits since %s, not %s", who, since, waits[who])
				}
				if c = &next; asks == who {
					asks = ""
				}
			case "ask":
				next := c.by(r, 1)
				next.Gate = &Gate{Name: ForceUnlock}
				c, asks = &next, who
				delete(waits, who)
			case "begin":
				if c != nil {
					c = c.without(who)
				}
				asks = ""
				delete(waits, who)
			}
			if c == nil {
				if len(waits) > 0 || asks != "" {
					t.Fatalf("nothing is left of %v and %q", waits, asks)
				}
				continue
			}
			if diff := cmp.Diff(waits, c.Waiters, cmpopts.EquateEmpty()); diff != "" {
				t.Fatal(diff)
			}
			if asks != "" && (c.SessionID != asks || c.Gate == nil) {
				t.Fatalf("the question of %s is gone: %+v", asks, c)
			}
		}
	})
}

// R49: the end of a loop that a person stopped at another's lock outlives the iterations of the
// other, and those who wait.
func TestAStoppedClaimStays(t *testing.T) {
	c := &Claim{SessionID: "a", Skill: Work, Stopped: true}
	next, _ := c.wait(Request{SessionID: "b", Command: Command{Skill: Work}})
	left := next.without("c")
	if left == nil || !left.Stopped || left.SessionID != "a" || len(left.Waiters) != 1 {
		t.Errorf("%+v", left)
	}
	if left = left.without("a"); left == nil || left.Stopped || len(left.Waiters) != 1 {
		t.Errorf("%+v", left)
	}
}
