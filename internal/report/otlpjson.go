package report

import (
	"encoding/json"
	"strconv"
	"time"

	"hooks/internal/loop"
)

// The messages of OTLP in its JSON encoding, as far as an export has them: ids are hexadecimal,
// 64-bit numbers are strings, enumerations are numbers. What differs between two exports comes
// first, because a collector knows a file by its first 1000 bytes.

type otlpLine struct {
	Spans   []otlpScopes `json:"resourceSpans,omitempty"`
	Metrics []otlpScopes `json:"resourceMetrics,omitempty"`
}

type otlpScopes struct {
	Spans    []otlpScoped `json:"scopeSpans,omitempty"`
	Metrics  []otlpScoped `json:"scopeMetrics,omitempty"`
	Resource otlpResource `json:"resource"`
}

type otlpScoped struct {
	Spans   []json.RawMessage `json:"spans,omitempty"`
	Metrics []otlpMetric      `json:"metrics,omitempty"`
	Scope   otlpScope         `json:"scope"`
}

type otlpResource struct {
	Attributes attributes `json:"attributes,omitempty"`
}

type otlpScope struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Numbers of OTLP's enumerations.
const (
	kindInternal = 1 // SPAN_KIND_INTERNAL
	statusError  = 2 // STATUS_CODE_ERROR
	sinceStart   = 2 // AGGREGATION_TEMPORALITY_CUMULATIVE
)

type otlpSpan struct {
	End        string      `json:"endTimeUnixNano"`
	Start      string      `json:"startTimeUnixNano"`
	Trace      string      `json:"traceId"`
	ID         string      `json:"spanId"`
	Parent     string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Attributes attributes  `json:"attributes,omitempty"`
	Events     []otlpEvent `json:"events,omitempty"`
	Dropped    int         `json:"droppedEventsCount,omitempty"`
	Status     *otlpStatus `json:"status,omitempty"`
}

type otlpEvent struct {
	At         string     `json:"timeUnixNano"`
	Name       string     `json:"name"`
	Attributes attributes `json:"attributes,omitempty"`
}

type otlpStatus struct {
	Code int `json:"code"`
}

type otlpMetric struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Unit        string  `json:"unit"`
	Sum         otlpSum `json:"sum"`
}

type otlpSum struct {
	Points      []otlpPoint `json:"dataPoints"`
	Temporality int         `json:"aggregationTemporality"`
	Monotonic   bool        `json:"isMonotonic"`
}

type otlpPoint struct {
	At         string     `json:"timeUnixNano"`
	Start      string     `json:"startTimeUnixNano"`
	Double     *loop.USD  `json:"asDouble,omitempty"`
	Int        string     `json:"asInt,omitempty"`
	Attributes attributes `json:"attributes,omitempty"`
}

func cumulative(points []otlpPoint) otlpSum { return otlpSum{points, sinceStart, true} }

// newSpan is the root span of a run's trace.
func newSpan(name, run string, from, to time.Time) otlpSpan {
	start, end := span(from, to)
	return otlpSpan{End: end, Start: start, Trace: digest(run)[:32], ID: digest(run)[32:48],
		Name: clip(name, maxText), Kind: kindInternal}
}

// span is a stretch of time; its end is not before its start, though a clock may be set back.
func span(from, to time.Time) (start, end string) {
	if to.Before(from) {
		to = from
	}
	return nanos(from), nanos(to)
}

// nanos is a time as OTLP has it, 0 where 64 bits do not hold it.
func nanos(t time.Time) string {
	if y := t.Year(); y < 1970 || y > 2261 {
		return "0"
	}
	return strconv.FormatInt(t.UnixNano(), 10)
}

type attributes []attribute

type attribute struct {
	Key   string         `json:"key"`
	Value map[string]any `json:"value"`
}

func (a *attributes) add(key, kind string, v any) {
	*a = append(*a, attribute{key, map[string]any{kind: v}})
}

// text adds a text that is not empty.
func (a *attributes) text(key, v string) {
	if v != "" {
		a.add(key, "stringValue", clip(v, maxText))
	}
}

func (a *attributes) count(key string, n int64) {
	a.add(key, "intValue", strconv.FormatInt(n, 10))
}

func (a *attributes) dollars(key string, u loop.USD) { a.add(key, "doubleValue", u) }

// list adds a list that is not empty.
func (a *attributes) list(key string, texts []string) {
	var values []map[string]string
	for _, t := range texts[:min(len(texts), maxItems)] {
		values = append(values, map[string]string{"stringValue": clip(t, maxText)})
	}
	if len(values) > 0 {
		a.add(key, "arrayValue", map[string]any{"values": values})
	}
}
