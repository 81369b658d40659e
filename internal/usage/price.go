package usage

import "hooks/internal/loop"

// webSearch is the price of one server-side web search.
const webSearch = loop.Cent

// Limits on one request. They are far above anything real and keep sums of invalid data from
// overflowing.
const (
	maxTokens  = 100_000_000 // per kind and request; a line with more is unreadable
	maxRequest = 100_000 * loop.Dollar
)

// request holds the usage of one request to a model.
type request struct {
	Tokens loop.Tokens // Dollars is ignored
	Fast   bool        // usage.speed is "fast"
	US     bool        // usage.inference_geo is "us"
	// Parts holds the samplings of the request if there were several, for example because a server
	// tool ran in between. Whether the prompt is long is decided for each.
	Parts []loop.Tokens
}

// cost prices one request by the client's own formula, to the pico-dollar: each kind at its rate,
// the row's multipliers for a long prompt and fast mode, 1.1 times the tokens' price for US
// inference, and a cent for each web search.
func (r Row) cost(q request) loop.USD {
	parts := q.Parts
	if !q.whole() {
		parts = []loop.Tokens{q.Tokens}
	}
	sum := loop.USD(0)
	for _, n := range parts {
		sum = min(sum+r.sampling(n), maxRequest)
	}
	if q.Fast {
		sum *= loop.USD(max(r.Fast, 1))
	}
	if q.US {
		sum = (sum*11 + 5) / 10
	}
	return min(sum+times(webSearch, q.Tokens.WebSearches), maxRequest)
}

// whole reports whether the parts add up to all tokens.
func (q request) whole() bool {
	var sum loop.Tokens
	for _, n := range q.Parts {
		sum = sum.Add(n)
	}
	sum.WebSearches, sum.Messages = q.Tokens.WebSearches, q.Tokens.Messages
	sum.Dollars = q.Tokens.Dollars
	return sum == q.Tokens
}

// sampling prices the tokens of one prompt and its response.
func (r Row) sampling(n loop.Tokens) loop.USD {
	sum := times(r.Input, n.Input) + times(r.Output, n.Output) + times(r.CacheRead, n.CacheRead) +
		times(r.CacheWrite5m, n.CacheWrite5m) + times(r.CacheWrite1h, n.CacheWrite1h)
	if n.In() > longPrompt {
		return sum * loop.USD(max(r.Long, 1))
	}
	return sum
}

// times returns price times n, at most maxRequest.
func times(price loop.USD, n int64) loop.USD {
	if n <= 0 || price <= 0 {
		return 0
	}
	if price > maxRequest/loop.USD(n) {
		return maxRequest
	}
	return price * loop.USD(n)
}
