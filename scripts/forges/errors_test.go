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
func reply(status int, body string, headers ...string) handler {
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
func cut(some string) handler {
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

// handler answers the n-th request of a test, or leaves it to the schema.
type handler = func(n int, w http.ResponseWriter, r *http.Request) bool

// says refuses a request in the words of a REST API.
func says(status int, message string, headers ...string) handler {
	const form = `{"message":%q,"documentation_url":"https://docs"}`
	return reply(status, fmt.Sprintf(form, message), headers...)
}

// inAnswer refuses a query as GraphQL does, with status 200.
func inAnswer(kind, message string) handler {
	const form = `{"data":{"repository":null},"errors":[{"type":%q,"message":%q}]}`
	return reply(200, fmt.Sprintf(form, kind, message))
}

func html(status int, text string, headers ...string) handler {
	return reply(status, text, append(headers, "Content-Type", "text/html")...)
}

const (
	noScope = "Your token has not been granted the required scopes to execute this query. " +
		"The 'title' field requires one of the following scopes: ['repo']"
	saml = "Resource protected by organization SAML enforcement. " +
		"You must grant your OAuth token access to this organization."
	allowList = "Although you appear to have the correct authorization credentials, " +
		"the acme organization has an IP allow list enabled"
	rateLimit = "API rate limit exceeded for user ID 1."
	secondary = "You have exceeded a secondary rate limit. Please wait a few minutes."
	tooLong   = `{"data":null,"errors":[{"message":"` + wentWrong + `"}]}`
	noRepo    = "Could not resolve to a Repository with the name 'acme/app'."
	noAccess  = "Resource not accessible by integration"
	wentWrong = "Something went wrong while executing your query. " +
		"This may be the result of a timeout, or it could be a GitHub bug."
	sso = "required; url=https://github.com/orgs/acme/sso?authorization_request=x"
)

var githubErrors = []struct {
	name   string
	before handler
	why    forge.Why
}{
	{"401", says(401, "Bad credentials"), forge.LoggedOut},
	{"403", says(403, "Resource not accessible by personal access token"), forge.Failed},
	{"403 in the answer", inAnswer("FORBIDDEN", noAccess), forge.Failed},
	{"scopes", inAnswer("INSUFFICIENT_SCOPES", noScope), forge.Failed},
	{"SSO", says(403, saml, "X-GitHub-SSO", sso), forge.Failed},
	{"SSO in the answer", inAnswer("FORBIDDEN", saml), forge.Failed},
	{"IP allow list", inAnswer("FORBIDDEN", allowList), forge.Failed},
	{"no repository", inAnswer("NOT_FOUND", noRepo), forge.NotFound},
	{"429", says(429, "too many", "Retry-After", "60"), forge.Failed},
	{"429 of a proxy", html(429, "<html>"), forge.Failed},
	{"rate limit", says(403, rateLimit, "X-RateLimit-Remaining", "0"), forge.Failed},
	{"rate limit in the answer", inAnswer("RATE_LIMITED", rateLimit), forge.Failed},
	{"secondary rate limit", says(403, secondary), forge.Failed},
	{"500", says(500, "Server Error"), forge.Failed},
	{"502", html(502, "<html><h1>502 Bad Gateway</h1></html>"), forge.Failed},
	{"502 as GitHub does", reply(502, tooLong), forge.Failed},
	{"503", says(503, "No server is currently available."), forge.Failed},
	{"504", says(504, "We couldn't respond to your request in time."), forge.Failed},
	{"cut before the answer", cut(""), forge.Failed},
	{"cut in the answer", cut(page), forge.Failed},
	{"half an answer", reply(200, page), forge.Failed},
	{"no JSON", html(200, "<html>Sign in</html>"), forge.Unreadable},
	{"nothing", reply(200, ""), forge.Failed},
}

// Failures between gh and GitHub are distinguished, and no failure is taken for an empty list.
func TestGitHubErrors(t *testing.T) {
	schema := fixture(t, "HOOKS_GITHUB_SCHEMA")
	each(t, "HOOKS_GH", "gh", func(t *testing.T) {
		s := github(t, schema+dependencies, small())
		for _, c := range githubErrors {
			s.before = c.before
			fails(t, c.name, question(t, forge.GitHub, "github.com"), c.why)
		}
	})
}

// fails asks for everything and wants a failure: no part of the answer may look whole, and no
// secret may be in it.
func fails(t *testing.T, name string, q forge.Question, want forge.Why) {
	t.Helper()
	q.Backlog, q.PRs, q.PR = true, true, 142
	a := forge.Ask(context.Background(), q)
	if why(a.Err) != want || a.Backlog != nil || a.Issues != nil || len(a.PRs) != 0 {
		t.Errorf("%s: %v, want %q; %q", name, a.Err, want, a.Notes)
	}
	for _, secret := range []string{"ghp_test", "glpat-test"} {
		if text := strings.Join(a.Notes, "\n"); strings.Contains(text, secret) {
			t.Errorf("%s: a secret in %q", name, text)
		}
	}
}

// A list whose later page fails is a part: what is known is there, nothing follows from the rest.
func TestGitHubLaterPageFails(t *testing.T) {
	schema := fixture(t, "HOOKS_GITHUB_SCHEMA")
	each(t, "HOOKS_GH", "gh", func(t *testing.T) {
		for _, c := range []struct {
			name   string
			before handler
			why    forge.Why
		}{
			{"502", says(502, "x"), forge.Failed},
			{"cut", cut(page), forge.Failed},
			{"hangs", hang, forge.TooSlow},
		} {
			s := github(t, schema+dependencies, many(500))
			s.before = func(n int, w http.ResponseWriter, r *http.Request) bool {
				return n > 3 && c.before(n, w, r)
			}
			q := question(t, forge.GitHub, "github.com")
			q.Backlog, q.Wait = true, 2*time.Second
			a := forge.Ask(context.Background(), q)
			some := len(a.Issues) > 0 && len(a.Issues) < 500
			if why(a.Err) != c.why || a.Backlog != nil || !some {
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
		took := time.Since(began)
		if why(a.Err) != forge.TooSlow || took > 8*time.Second || a.Backlog != nil {
			t.Errorf("%v after %v", a.Err, took)
		}
	})
}
