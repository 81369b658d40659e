package store

import (
	"reflect"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"hooks/internal/kind/audit"
	"hooks/internal/kind/backlog"
	"hooks/internal/kind/tasks"
	"hooks/internal/loop"
)

var (
	sameTime   = cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })
	emptyIsNil = cmpopts.EquateEmpty()
)

// Values makes any value that may stand in a state file: texts of every script, counts from zero,
// times to the nanosecond.
func Values() rapid.MakeConfig {
	values := plainValues()
	values.Types[reflect.TypeFor[loop.Payload]()] = rapid.OneOf(rapid.Just[any](nil),
		pointers[tasks.Run](values), pointers[audit.Run](values))
	values.Types[reflect.TypeFor[loop.Record]()] = rapid.OneOf(rapid.Just[any](nil),
		pointers[tasks.Line](values), pointers[audit.Line](values))
	return values
}

func pointers[T any](values rapid.MakeConfig) *rapid.Generator[any] {
	return rapid.Map(rapid.MakeCustom[T](values), func(v T) any { return &v })
}

// plainValues leaves out what only a kind of loop adds, which package json does not know.
func plainValues() rapid.MakeConfig {
	count := rapid.IntRange(0, 1<<40)
	return rapid.MakeConfig{
		Types: map[reflect.Type]*rapid.Generator[any]{
			reflect.TypeFor[time.Time](): times().AsAny(),
			reflect.TypeFor[loop.USD](): rapid.Map(rapid.Int64Range(0,
				int64(loop.Dollar)*100_000), func(n int64) loop.USD { return loop.USD(n) }).AsAny(),
			reflect.TypeFor[loop.Skill](): rapid.Just(backlog.Work).AsAny(),
			reflect.TypeFor[loop.Status](): rapid.SampledFrom([]loop.Status{loop.Active,
				loop.Halted, loop.Paused}).AsAny(),
			reflect.TypeFor[loop.LineOutcome](): rapid.SampledFrom(
				[]loop.LineOutcome{loop.OK, loop.Errored, loop.Stopped, loop.Waiting,
					loop.SkippedLock}).AsAny(),
			reflect.TypeFor[loop.Payload](): rapid.Just[any](nil),
			reflect.TypeFor[loop.Record]():  rapid.Just[any](nil),
			// They lie in a file of their own.
			reflect.TypeFor[[]audit.Finding](): rapid.Just([]audit.Finding(nil)).AsAny(),
			reflect.TypeFor[int]():             count.AsAny(),
			reflect.TypeFor[int64]():           rapid.Int64Range(0, 1<<50).AsAny(),
			reflect.TypeFor[uint64]():          rapid.Uint64().AsAny(),
		},
		Fields: map[reflect.Type]map[string]*rapid.Generator[any]{
			reflect.TypeFor[loop.FilePart](): {"Bytes": rapid.Just(int64(0)).AsAny()},
		},
	}
}

func times() *rapid.Generator[time.Time] {
	return rapid.Map(rapid.Int64Range(1, 4_000_000_000_000_000_000), func(n int64) time.Time {
		return time.Unix(0, n).UTC()
	})
}

func diff(want, got any) string { return cmp.Diff(want, got, sameTime, emptyIsNil) }
