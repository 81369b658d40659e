package report

import (
	"bufio"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"hooks/internal/loop"
	"hooks/internal/term"
)

// OTLP configures an export of runs. Without Texts the export has no words that people or the model
// wrote: a history must not be uploaded without a person's consent (R123).
type OTLP struct {
	Version string
	Texts   bool
}

// SpentRun is a run with what it spent by now.
type SpentRun struct {
	Run   *loop.Budget
	Ended time.Time // its last iteration, or the present while one is open
	Notes []string
}

const (
	// maxBatch bounds the spans or points in a line of the export, in bytes. The collector
	// cuts lines of a mebibyte.
	maxBatch  = 256 << 10
	maxEvents = 128  // of a span, the limit of OpenTelemetry's own SDKs
	maxItems  = 128  // of a list
	maxText   = 1000 // characters of one value
)

// HistoryOTLP writes one OTLP/JSON object a line: first a span and the metrics of each run, the
// newest first, then a span of each history line. Ids derive from the run's id, so that a later
// export updates the same traces.
func HistoryOTLP(w io.Writer, from OTLP) History {
	x := &exporter{OTLP: from, out: bufio.NewWriterSize(w, 64<<10)}
	return History{Whole: true, Runs: x.runs, Row: x.row, Close: func() error {
		x.flush()
		return x.out.Flush()
	}}
}

type exporter struct {
	OTLP
	out     *bufio.Writer
	project string // its folder's name
	spans   []json.RawMessage
	size    int // bytes of spans
	err     error
}

func (x *exporter) runs(project string, list []SpentRun) error {
	x.flush()
	x.project = filepath.Base(project)
	for _, r := range list {
		x.span(x.root(r))
	}
	x.flush()
	for _, r := range list {
		if metrics := metricsOf(r); len(metrics) > 0 {
			x.write("Metrics", "metrics", metrics)
		}
	}
	return x.err
}

func (x *exporter) row(_ string, l *loop.Iteration, _ []byte) error {
	x.span(x.iteration(l))
	return x.err
}

func (x *exporter) span(s otlpSpan) {
	text, err := json.Marshal(s)
	x.err = cmp.Or(x.err, err)
	x.spans = append(x.spans, text)
	if x.size += len(text); x.size > maxBatch {
		x.flush()
	}
}

func (x *exporter) flush() {
	if len(x.spans) > 0 {
		x.write("Spans", "spans", x.spans)
	}
	x.spans, x.size = x.spans[:0], 0
}

func (x *exporter) write(kind, name string, list any) {
	var a attributes
	a.text("service.name", "hooks")
	a.text("service.version", x.Version)
	a.text("hooks.project", x.project)
	scoped := object{name, list, "scope", object{"name", "hooks", "version", x.Version}}
	text, err := json.Marshal(object{"resource" + kind, []object{{"scope" + kind, []object{scoped},
		"resource", object{"attributes", a}}}})
	if err == nil {
		_, err = x.out.Write(append(term.JSON(text), '\n'))
	}
	x.err = cmp.Or(x.err, err)
}

// root is the span of a run.
func (x *exporter) root(r SpentRun) otlpSpan {
	b := r.Run
	s := newSpan("run "+string(b.Skill), runKey(b.RunID, string(b.Skill), b.StartedAt),
		b.StartedAt, r.Ended)
	a := &s.attributes
	a.text("hooks.run.id", b.RunID)
	a.text("hooks.skill", string(b.Skill))
	a.text("hooks.status", string(b.Status))
	a.text("hooks.stop_cause", b.StopCause)
	a.count("hooks.iterations_used", int64(b.IterationsUsed))
	a.count("hooks.max_iterations", int64(b.Ceilings.Iterations))
	a.count("hooks.max_prs", int64(b.Ceilings.PRs))
	a.count("hooks.max_minutes", int64(b.Ceilings.Minutes))
	a.dollars("hooks.max_dollars", b.Ceilings.Dollars)
	if x.Texts {
		a.list("hooks.notes", r.Notes)
	}
	return s
}

// iteration is the span of a history line, below that of its run.
func (x *exporter) iteration(l *loop.Iteration) otlpSpan {
	run := runKey(l.RunID, string(l.Skill), l.Budget.StartedAt)
	name := "iteration"
	switch {
	case !l.Ran():
		name = "skipped tick"
	case between(l):
		name = "stop"
	}
	s := newSpan(name, run, l.StartedAt, l.EndedAt)
	s.parent = s.id
	s.id = digest(run, strconv.Itoa(l.Seq), strconv.Itoa(l.Iteration),
		l.StartedAt.UTC().Format(time.RFC3339Nano))[:16]
	s.failed = l.Outcome == loop.Errored
	a := &s.attributes
	a.text("hooks.run.id", l.RunID)
	a.text("hooks.skill", string(l.Skill))
	a.count("hooks.iteration", int64(l.Iteration))
	a.text("hooks.outcome", string(l.Outcome))
	if t := l.Task; t != nil {
		a.count("hooks.task", int64(t.Task))
		a.count("hooks.try", int64(t.Try))
		a.text("hooks.verdict", string(t.Judgement.Verdict))
	}
	a.text("gen_ai.conversation.id", l.SessionID)
	a.spent(l)
	a.count("hooks.agents_dispatched", int64(l.Agents))
	a.count("hooks.comments_pushed", int64(l.Comments))
	a.count("hooks.merges_attempted", int64(l.Merges))
	a.count("hooks.calls_refused", int64(loop.Refusals(l.Denied)))
	a.list("hooks.prs", l.PRsTouched)
	a.list("hooks.stop_conditions", l.Fired)
	x.events(&s, l)
	return s
}

// spent sets what an iteration used, in the words of OpenTelemetry: input includes what came from a
// cache and what was written to one.
func (a *attributes) spent(l *loop.Iteration) {
	a.count("gen_ai.usage.input_tokens", l.TokensIn)
	a.count("gen_ai.usage.output_tokens", l.TokensOut)
	a.dollars("hooks.dollars", l.Dollars)
	models := slices.Sorted(maps.Keys(l.UsageByModel))
	if len(models) > 0 {
		sum := loop.Sum(l.UsageByModel)
		a.count("gen_ai.usage.cache_read.input_tokens", sum.CacheRead)
		a.count("gen_ai.usage.cache_creation.input_tokens", sum.CacheWrite5m+sum.CacheWrite1h)
	}
	if len(models) == 1 {
		a.text("gen_ai.response.model", models[0])
	} else {
		a.list("hooks.models", models)
	}
}

// events adds the questions with the times of their answers, and the refused calls. The history has
// no time of those, so they are at the end of the span.
func (x *exporter) events(s *otlpSpan, l *loop.Iteration) {
	add := func(name, at string, a attributes) {
		if len(s.events) == maxEvents {
			s.dropped++
			return
		}
		s.events = append(s.events, object{"timeUnixNano", at, "name", name, "attributes", a})
	}
	for _, g := range l.Gates {
		var a attributes
		a.text("hooks.gate.name", g.Name)
		if x.Texts {
			a.text("hooks.gate.target", g.Target)
			a.text("hooks.gate.question", g.Question)
			a.text("hooks.gate.answer", g.Answer)
		}
		at := nanos(g.At)
		if g.At.IsZero() { // a line of the SPEC's own format
			at = s.end
		}
		add("gate", at, a)
	}
	for _, d := range l.Denied {
		var a attributes
		a.text("gen_ai.tool.name", d.Tool)
		a.text("hooks.rule", d.Rule)
		a.count("hooks.times", int64(d.Times))
		if x.Texts {
			a.text("hooks.call", d.What)
		}
		add("call refused", s.end, a)
	}
}

// metricsOf are the dollars and tokens of a run since its start, by model. The kinds of tokens do
// not overlap.
func metricsOf(r SpentRun) []object {
	b := r.Run
	var dollars, tokens []object
	add := func(model string, t loop.Tokens) {
		var a attributes
		a.text("hooks.run.id", b.RunID)
		a.text("hooks.skill", string(b.Skill))
		a.text("gen_ai.response.model", model)
		start, at := span(b.StartedAt, r.Ended)
		dollars = append(dollars, object{"timeUnixNano", at, "startTimeUnixNano", start, "asDouble",
			max(0, t.Dollars), "attributes", a})
		for _, kind := range []struct {
			name string
			n    int64
		}{
			{"input", t.Input}, {"output", t.Output}, {"cache_read", t.CacheRead},
			{"cache_creation", t.CacheWrite5m + t.CacheWrite1h},
		} {
			n := strconv.FormatInt(max(0, kind.n), 10)
			with := slices.Clip(a)
			with.text("gen_ai.token.type", kind.name)
			tokens = append(tokens, object{"timeUnixNano", at, "startTimeUnixNano", start,
				"asInt", n, "attributes", with})
		}
	}
	for _, model := range slices.Sorted(maps.Keys(b.TokensByModel)) {
		add(model, b.TokensByModel[model])
	}
	if rest := Unmodelled(b); rest != (loop.Tokens{}) {
		add("", rest)
	}
	if len(dollars) == 0 {
		return nil
	}
	metric := func(name, what, unit string, points []object) object {
		return object{"name", name, "description", what, "unit", unit, "sum", object{
			"dataPoints", points, "aggregationTemporality", sinceStart, "isMonotonic", true}}
	}
	return []object{metric("hooks.cost", "what the API would charge for the run", "USD", dollars),
		metric("hooks.tokens", "tokens of the run, each of one kind", "{token}", tokens)}
}

// runKey identifies a run. Lines of the SPEC's own format carry no run id.
func runKey(id, skill string, began time.Time) string {
	return cmp.Or(id, skill+" "+began.UTC().Format(time.RFC3339Nano))
}

// digest is an id of 64 hexadecimal digits.
func digest(parts ...string) string {
	h := fnv.New128a()
	for _, p := range parts {
		_, _ = io.WriteString(h, strconv.Quote(p))
	}
	first := h.Sum(nil)
	_, _ = io.WriteString(h, "again")
	return hex.EncodeToString(h.Sum(first))
}

// object is a message of OTLP in its JSON encoding, as names and values in turn: ids are
// hexadecimal, 64-bit numbers are strings, enumerations are numbers. What is empty is left out.
// What differs between two exports comes first, because a collector knows a file by its first 1000
// bytes.
type object []any

func (o object) MarshalJSON() ([]byte, error) {
	text := []byte("{")
	for i := 0; i < len(o); i += 2 {
		value, err := json.Marshal(o[i+1])
		if err != nil {
			return nil, err
		}
		if s := string(value); s == "null" || s == `""` {
			continue
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(fmt.Appendf(text, "%q:", o[i]), value...)
	}
	return append(text, '}'), nil
}

// Numbers of OTLP's enumerations.
const (
	kindInternal = 1 // SPAN_KIND_INTERNAL
	statusError  = 2 // STATUS_CODE_ERROR
	sinceStart   = 2 // AGGREGATION_TEMPORALITY_CUMULATIVE
)

type otlpSpan struct {
	trace, id, parent, name, start, end string
	attributes                          attributes
	events                              []object
	dropped                             int // events
	failed                              bool
}

func (s otlpSpan) MarshalJSON() ([]byte, error) {
	var dropped, status any
	if s.dropped > 0 {
		dropped = s.dropped
	}
	if s.failed {
		status = object{"code", statusError}
	}
	return object{"endTimeUnixNano", s.end, "startTimeUnixNano", s.start, "traceId", s.trace,
		"spanId", s.id, "parentSpanId", s.parent, "name", clip(s.name, maxText),
		"kind", kindInternal, "attributes", s.attributes, "events", s.events,
		"droppedEventsCount", dropped, "status", status}.MarshalJSON()
}

// newSpan is the root span of a run's trace.
func newSpan(name, run string, from, to time.Time) otlpSpan {
	start, end := span(from, to)
	return otlpSpan{trace: digest(run)[:32], id: digest(run)[32:48], name: name, start: start,
		end: end}
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

type attributes []object

func (a *attributes) add(key, kind string, v any) {
	*a = append(*a, object{"key", key, "value", object{kind, v}})
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
	var values []object
	for _, t := range texts[:min(len(texts), maxItems)] {
		values = append(values, object{"stringValue", clip(t, maxText)})
	}
	if len(values) > 0 {
		a.add(key, "arrayValue", object{"values", values})
	}
}
