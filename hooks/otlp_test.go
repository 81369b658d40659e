package main

import (
	"bufio"
	"fmt"
	"os"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// otlpMain prints an export as OpenTelemetry's own types read it, a span, event or point a line:
// `otlp FILE`.
func otlpMain(args []string) int {
	in, err := os.Open(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20) // the collector cuts longer ones
	for lines.Scan() {
		if err := printOTLP(lines.Bytes()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	if lines.Err() != nil {
		fmt.Fprintln(os.Stderr, lines.Err())
		return 1
	}
	return 0
}

func printOTLP(line []byte) error {
	traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
	if err != nil {
		return err
	}
	metrics, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(line)
	if err != nil {
		return err
	}
	resource := func(r pcommon.Resource) {
		all := r.Attributes().AsRaw()
		all["service.version"] = all["service.version"] == version()
		fmt.Println("resource", all)
	}
	for _, r := range traces.ResourceSpans().All() {
		resource(r.Resource())
		for _, s := range r.ScopeSpans().At(0).Spans().All() {
			fmt.Println("span", s.TraceID(), s.SpanID(), "below", s.ParentSpanID(), s.Kind(),
				clock(s.StartTimestamp()), clock(s.EndTimestamp()), s.Status().Code(), s.Name(),
				s.Attributes().AsRaw())
			for _, e := range s.Events().All() {
				fmt.Println("  event", clock(e.Timestamp()), e.Name(), e.Attributes().AsRaw())
			}
		}
	}
	for _, r := range metrics.ResourceMetrics().All() {
		resource(r.Resource())
		for _, m := range r.ScopeMetrics().At(0).Metrics().All() {
			fmt.Println("metric", m.Name(), m.Unit(), m.Sum().AggregationTemporality(),
				m.Sum().IsMonotonic())
			for _, p := range m.Sum().DataPoints().All() {
				fmt.Println("  point", clock(p.StartTimestamp()), clock(p.Timestamp()),
					p.IntValue(), p.DoubleValue(), p.Attributes().AsRaw())
			}
		}
	}
	return nil
}

func clock(t pcommon.Timestamp) string { return t.AsTime().Format(time.TimeOnly) }
