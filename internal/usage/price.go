package usage

import "hooks/internal/loop"

// webSearch is the price of one server-side web search.
const webSearch = loop.Cent

// Bounds of what one request can cost. They lie far above anything real and keep sums of rubbish from overflowing.
const (
	maxTokens  = 100_000_000 // of one kind in one request; a line with more is unreadable
	maxRequest = 100_000 * loop.Dollar
	maxTotal   = 1_000_000 * loop.Dollar
)

// Request is what one request to a model used.
type Request struct {
	Tokens loop.Tokens // Dollars is not read
	Fast   bool        // usage.speed is "fast"
	US     bool        // usage.inference_geo is "us"
}

// Cost prices one request by the client's own formula, to the pico-dollar: every kind at its rate, a long prompt and
// fast mode as multipliers of the row, US inference 1.1 times the tokens' price, a cent for every web search.
func (r Row) Cost(q Request) loop.USD {
	n := q.Tokens
	sum := times(r.Input, n.Input) + times(r.Output, n.Output) + times(r.CacheRead, n.CacheRead) +
		times(r.CacheWrite5m, n.CacheWrite5m) + times(r.CacheWrite1h, n.CacheWrite1h)
	sum = min(sum, maxRequest)
	if n.In() > longPrompt {
		sum *= loop.USD(max(r.Long, 1))
	}
	if q.Fast {
		sum *= loop.USD(max(r.Fast, 1))
	}
	if q.US {
		sum = (sum*11 + 5) / 10
	}
	return min(sum+times(webSearch, n.WebSearches), maxRequest)
}

// times is price by number, at most maxRequest.
func times(price loop.USD, n int64) loop.USD {
	if n <= 0 || price <= 0 {
		return 0
	}
	if price > maxRequest/loop.USD(n) {
		return maxRequest
	}
	return price * loop.USD(n)
}
