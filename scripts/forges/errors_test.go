//go:build forges

package forges

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"hooks/internal/tracker/forge"
)

func why(err error) forge.Why {
	var f *forge.Failure
	if errors.As(err, &f) {
		return f.Why
	}
	return ""
}

// reply answers every request alike.
func reply(status int, body string, headers ...string) func(int, http.ResponseWriter, *http.Request) bool {
	return func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
		return true
	}
}

// cut breaks the connection, after some of the answer where there is any.
func cut(some string) func(int, http.ResponseWriter, *http.Request) bool {
	return func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		if some != "" {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			w.Header().Set("Content-Length", "100000")
			fmt.Fprint(w, some)
			_ = http.NewResponseController(w).Flush()
		}
		panic(http.ErrAbortHandler)
	}
}

// hang answers nothing until the client has gone.
func hang(_ int, _ http.ResponseWriter, r *http.Request) bool {
	<-r.Context().Done()
	return true
}

const page = `{"data":{"repository":{"nameWithOwner":"acme/app","hasIssuesEnabled":true,"issues":{`

var githubErrors = []struct {
	name   string
	before func(int, http.ResponseWriter, *http.Request) bool
	why    forge.Why
}{
	{"401", reply(401, `{"message":"Bad credentials","documentation_url":"https://docs.github.com"}`), forge.LoggedOut},
	{"403", reply(403, `{"message":"Resource not accessible by personal access token"}`), forge.Forbidden},
	{"403 in the answer", reply(200, `{"data":{"repository":null},"errors":[{"type":"FORBIDDEN","path":["repository"],"message":"Resource not accessible by integration"}]}`), forge.Forbidden},
	{"scopes", reply(200, `{"errors":[{"type":"INSUFFICIENT_SCOPES","message":"Your token has not been granted the required scopes to execute this query. The 'title' field requires one of the following scopes: ['repo']"}]}`), forge.Forbidden},
	{"SSO", reply(403, `{"message":"Resource protected by organization SAML enforcement. You must grant your OAuth token access to this organization."}`,
		"X-GitHub-SSO", "required; url=https://github.com/orgs/acme/sso?authorization_request=x"), forge.Forbidden},
	{"SSO in the answer", reply(200, `{"data":{"repository":null},"errors":[{"type":"FORBIDDEN","message":"Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization."}]}`), forge.Forbidden},
	{"IP allow list", reply(200, `{"data":{"repository":null},"errors":[{"type":"FORBIDDEN","message":"Although you appear to have the correct authorization credentials, the acme organization has an IP allow list enabled"}]}`), forge.Forbidden},
	{"no repository", reply(200, `{"data":{"repository":null},"errors":[{"type":"NOT_FOUND","path":["repository"],"message":"Could not resolve to a Repository with the name 'acme/app'."}]}`), forge.NotFound},
	{"429", reply(429, `{"message":"too many"}`, "Retry-After", "60"), forge.RateLimited},
	{"429 of a proxy", reply(429, `<html>`, "Content-Type", "text/html"), forge.RateLimited},
	{"rate limit", reply(403, `{"message":"API rate limit exceeded for user ID 1."}`, "X-RateLimit-Remaining", "0"), forge.RateLimited},
	{"rate limit in the answer", reply(200, `{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded for user ID 1."}]}`), forge.RateLimited},
	{"secondary rate limit", reply(403, `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}`), forge.RateLimited},
	{"500", reply(500, `{"message":"Server Error"}`), forge.Unavailable},
	{"502", reply(502, `<html><h1>502 Bad Gateway</h1></html>`, "Content-Type", "text/html"), forge.Unavailable},
	{"502 as GitHub does", reply(502, `{"data":null,"errors":[{"message":"Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug."}]}`), forge.Unavailable},
	{"503", reply(503, `{"message":"No server is currently available to service your request."}`), forge.Unavailable},
	{"504", reply(504, `{"message":"We couldn't respond to your request in time."}`), forge.Unavailable},
	{"cut before the answer", cut(""), forge.Offline},
	{"cut in the answer", cut(page), forge.Offline},
	{"half an answer", reply(200, page), forge.Unreadable},
	{"no JSON", reply(200, `<html>Sign in</html>`, "Content-Type", "text/html"), forge.Unreadable},
	{"nothing", reply(200, ``), forge.Unreadable},
}

// What goes wrong between gh and GitHub is told apart, and nothing is taken for an empty list.
func TestGitHubErrors(t *testing.T) {
	schema := fixture(t, "HOOKS_GITHUB_SCHEMA")
	each(t, "HOOKS_GH", "gh", func(t *testing.T) {
		s := github(t, schema+dependencies, small())
		for _, c := range githubErrors {
			s.before = c.before
			q := question(t, forge.GitHub, "github.com")
			q.Backlog, q.PRs, q.PR = true, true, 142
			a := forge.Ask(context.Background(), q)
			if why(a.Err) != c.why || a.Backlog != nil || a.Found || len(a.PRs) != 0 || a.PRsWhole {
				t.Errorf("%s: %v, want %q; %q", c.name, a.Err, c.why, a.Notes)
			}
			if text := strings.Join(a.Notes, "\n"); strings.Contains(text, "ghp_test") {
				t.Errorf("%s: a secret in %q", c.name, text)
			}
		}
	})
}

// A list whose later page fails is a part: what is known is there, nothing follows from the rest.
func TestGitHubLaterPageFails(t *testing.T) {
	schema := fixture(t, "HOOKS_GITHUB_SCHEMA")
	each(t, "HOOKS_GH", "gh", func(t *testing.T) {
		for _, c := range []struct {
			name   string
			before func(int, http.ResponseWriter, *http.Request) bool
			why    forge.Why
		}{
			{"502", reply(502, `{"message":"x"}`), forge.Unavailable}, {"cut", cut(page), forge.Offline}, {"hangs", hang, forge.TooSlow},
		} {
			s := github(t, schema+dependencies, many(500))
			s.before = func(n int, w http.ResponseWriter, r *http.Request) bool {
				return n > 3 && c.before(n, w, r)
			}
			q := question(t, forge.GitHub, "github.com")
			q.Backlog, q.Wait = true, 2*time.Second
			a := forge.Ask(context.Background(), q)
			if why(a.Err) != c.why || a.Backlog != nil || len(a.Issues) == 0 || len(a.Issues) >= 500 {
				t.Errorf("%s: %v, %d issues, %q", c.name, a.Err, len(a.Issues), a.Notes)
			}
		}
	})
}

// A server that never answers costs the time of one call, and its client is gone then.
func TestGitHubHangs(t *testing.T) {
	schema := fixture(t, "HOOKS_GITHUB_SCHEMA")
	each(t, "HOOKS_GH", "gh", func(t *testing.T) {
		s := github(t, schema+dependencies, small())
		s.before = hang
		q := question(t, forge.GitHub, "github.com")
		q.Backlog, q.PRs, q.PR, q.Wait = true, true, 142, 2*time.Second
		began := time.Now()
		a := forge.Ask(context.Background(), q)
		if took := time.Since(began); why(a.Err) != forge.TooSlow || took > 8*time.Second || a.Backlog != nil {
			t.Errorf("%v after %v", a.Err, took)
		}
	})
}
