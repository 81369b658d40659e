package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"hooks/internal/loop"
)

// maxLogSize is the length at which a collector cuts a line.
const maxLogSize = 1 << 20

// decoded reads an export as the collector's otlpjsonfile receiver does: every line goes to the
// reader of traces and to that of metrics, and what has none of its kind is ignored.
func decoded(t testing.TB, text []byte) (spans []ptrace.Span, metrics []pmetric.Metric) {
	t.Helper()
	for line := range bytes.Lines(text) {
		if len(line) > maxLogSize || !gjson.ValidBytes(line) || !utf8.Valid(line) {
			t.Fatalf("a line of %d bytes: %.200s", len(line), line)
		}
		traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
		if err != nil {
			t.Fatalf("%v: %.200s", err, line)
		}
		sums, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(line)
		if err != nil {
			t.Fatalf("%v: %.200s", err, line)
		}
		if traces.SpanCount()+sums.MetricCount() == 0 {
			t.Fatalf("a line with nothing in it: %.200s", line)
		}
		for _, r := range traces.ResourceSpans().All() {
			for _, s := range r.ScopeSpans().At(0).Spans().All() {
				spans = append(spans, s)
			}
		}
		for _, r := range sums.ResourceMetrics().All() {
			for _, m := range r.ScopeMetrics().At(0).Metrics().All() {
				metrics = append(metrics, m)
			}
		}
	}
	return spans, metrics
}

// exported is an export of one run with these lines.
func exported(t testing.TB, run SpentRun, texts bool, rows ...loop.Iteration) []byte {
	t.Helper()
	var out bytes.Buffer
	h := HistoryOTLP(&out, OTLP{Version: "1.2.3", Texts: texts})
	err := h.Runs("/x/p", []SpentRun{run})
	for i := range rows {
		if err == nil {
			err = h.Row("", &rows[i], nil)
		}
	}
	if err == nil {
		err = h.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

const hostileText = "\x1b]0;x\x07 \u202e \u0000 \xff </script> \"'\\ \U000E0041 日本"

// No text of a history breaks a line of the export, or gets into one without --texts but the names
// that identify a run.
func TestOTLPOfHostileTexts(t *testing.T) {
	began := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	long := strings.Repeat(hostileText, 5000)
	run := SpentRun{Run: &loop.Budget{RunID: long, Skill: loop.Skill(long), StartedAt: began,
		StopCause: long, TokensByModel: map[string]loop.Tokens{long: {Input: -5, Dollars: -1}}},
		Notes: []string{"NOTE" + long}}
	row := loop.Iteration{RunID: long, Skill: loop.Skill(long), Outcome: loop.Errored,
		StartedAt: began, EndedAt: began.Add(-time.Hour), SessionID: long,
		PRsTouched: make([]string, 1000), Denied: []loop.Denial{{What: "CALL" + long}},
		UsageByModel: map[string]loop.Tokens{long: {CacheRead: -5}, "": {}}}
	for range 301 {
		row.Gates = append(row.Gates,
			loop.GateAnswer{Name: "n", Question: "QUESTION" + long, Answer: "ANSWER"})
	}
	for _, texts := range []bool{false, true} {
		text := exported(t, run, texts, row)
		spans, metrics := decoded(t, text)
		if len(spans) != 2 || len(metrics) != 2 {
			t.Fatalf("%d spans, %d metrics", len(spans), len(metrics))
		}
		s := spans[1]
		if s.ParentSpanID() != spans[0].SpanID() || s.TraceID() != spans[0].TraceID() {
			t.Error("the iteration is not below its run")
		}
		if s.EndTimestamp() != s.StartTimestamp() || s.Status().Code() != ptrace.StatusCodeError ||
			s.Events().Len() != maxEvents || s.DroppedEventsCount() != 302-maxEvents {
			t.Errorf("%v to %v, %v, %d events, %d dropped", s.StartTimestamp(), s.EndTimestamp(),
				s.Status().Code(), s.Events().Len(), s.DroppedEventsCount())
		}
		for _, word := range []string{"QUESTION", "ANSWER", "NOTE"} {
			if bytes.Contains(text, []byte(word)) != texts {
				t.Errorf("with texts %v: %s", texts, word)
			}
		}
		if v := metrics[0].Sum().DataPoints().At(0).DoubleValue(); v != 0 {
			t.Errorf("a sum that only grows is %v", v)
		}
	}
}

// A run of 10,000 iterations has a span for each, in lines that no collector cuts; the same run
// exported again has the same ids, and another start of the file once it has grown.
func TestOTLPOfALongRun(t *testing.T) {
	const iterations = 10_000
	began := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	export := func(n int) []byte {
		rows := make([]loop.Iteration, n)
		for i := range rows {
			at := began.Add(time.Duration(i) * time.Minute)
			rows[i] = loop.Iteration{RunID: "r1", Skill: loop.Work, Seq: i + 1, Iteration: i + 1,
				StartedAt: at, EndedAt: at.Add(time.Minute), SessionID: "s1"}
		}
		return exported(t, SpentRun{Run: &loop.Budget{RunID: "r1", StartedAt: began},
			Ended: rows[n-1].EndedAt}, false, rows...)
	}
	text := export(iterations)
	spans, _ := decoded(t, text)
	ids := map[string]bool{}
	for _, s := range spans {
		ids[s.SpanID().String()] = true
		if s.TraceID() != spans[0].TraceID() {
			t.Fatal("a span of another trace")
		}
	}
	if len(spans) != 1+iterations || len(ids) != len(spans) {
		t.Errorf("%d spans with %d ids", len(spans), len(ids))
	}
	if !bytes.Equal(text, export(iterations)) {
		t.Error("the same run is exported in another way")
	}
	const fingerprint = 1000 // bytes by which the collector knows a file
	if less := export(iterations - 1); bytes.Equal(less[:fingerprint], text[:fingerprint]) {
		t.Error("a collector takes the longer file for the shorter one")
	}
}

// Whatever a line of a history says, a collector takes the export.
func FuzzOTLP(f *testing.F) {
	f.Add("r1", "ok", "merge", int64(1))
	f.Add("", "errored", "\xff\x1b", int64(-1<<62))
	f.Fuzz(func(t *testing.T, id, outcome, word string, n int64) {
		tokens := loop.Tokens{Input: n, CacheWrite5m: n, CacheWrite1h: n, Dollars: loop.USD(n)}
		run := SpentRun{Run: &loop.Budget{RunID: id, StartedAt: time.Unix(n, n),
			Ceilings: loop.Ceilings{Dollars: loop.USD(n)}, DollarsEstimate: loop.USD(n)},
			Notes: []string{word}}
		row := loop.Iteration{RunID: id, Skill: loop.Skill(outcome), Seq: int(n),
			Outcome: loop.LineOutcome(outcome), StartedAt: time.Unix(0, n), Dollars: loop.USD(n),
			PRsTouched: []string{id}, SessionID: word,
			Gates:        []loop.GateAnswer{{Name: word, At: time.Unix(n, n), Answer: word}},
			Denied:       []loop.Denial{{Tool: word, Rule: word, What: word, Times: int(n)}},
			UsageByModel: map[string]loop.Tokens{word: tokens, id: {}}}
		row.Budget.StartedAt = time.Unix(n, 0)
		spans, metrics := decoded(t, exported(t, run, true, row))
		if len(spans) != 2 {
			t.Fatalf("%d spans", len(spans))
		}
		for _, s := range spans {
			if s.TraceID().IsEmpty() || s.SpanID().IsEmpty() ||
				s.EndTimestamp() < s.StartTimestamp() {
				t.Fatalf("span %v of %v, %v to %v", s.SpanID(), s.TraceID(), s.StartTimestamp(),
					s.EndTimestamp())
			}
		}
		for _, m := range metrics {
			if fmt.Sprint(m.Sum().AggregationTemporality()) != "Cumulative" ||
				!m.Sum().IsMonotonic() {
				t.Fatalf("%s is %v", m.Name(), m.Sum().AggregationTemporality())
			}
			for _, p := range m.Sum().DataPoints().All() {
				if p.IntValue() < 0 || p.DoubleValue() < 0 || p.Timestamp() < p.StartTimestamp() {
					t.Fatalf("%s is %d, %f", m.Name(), p.IntValue(), p.DoubleValue())
				}
			}
		}
	})
}
