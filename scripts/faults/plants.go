//go:build linux

package main

import "hooks/scripts/drive"

// plant is a known mistake that is built into the program, and where it has to show.
type plant struct {
	name     string
	scenario string // empty: the race for the lock
	calls    []string
	every    bool // reading calls count too
	patches  []drive.Patch
}

var plants = []plant{
	{"a block is printed before it is counted", "exit-without-facts", []string{"renameat"}, false, []drive.Patch{
		{File: "internal/app/stop.go", Old: "\t\treturn ask, v.save(t)\n", New: "\t\tv.after = func() error { return v.save(t) }\n\t\treturn ask, nil\n"},
	}},
	{"state is written in place", "exit-without-facts", []string{"write"}, false, []drive.Patch{
		{
			File: "internal/store/disk.go", Old: "\tdefer u.drop()\n\treturn u.place()\n",
			New: "\tdefer u.drop()\n" +
				"\treturn os.WriteFile(filepath.Join(d.root.Name(), name), text, fileMode)\n",
		},
	}},
	{"the lock is not exclusive, and no guard helps", "", nil, false, []drive.Patch{
		drive.FalseLocks, {File: "internal/store/lock.go", Old: "s.disk.link(file.tmp, name)", New: "s.disk.rename(file.tmp, name)"},
	}},
	{"files are not synced", "entry", nil, false, []drive.Patch{
		{File: "internal/store/disk.go", Old: "\t\t\tfailed = f.Sync()\n", New: ""},
	}},
	{"folders are not synced", "entry", nil, false, []drive.Patch{
		{File: "internal/store/disk.go", Old: "errors.Join(f.Sync(), f.Close())", New: "f.Close()"},
	}},
	{
		name:     "a change that a crash cut off is not brought to its end",
		scenario: "exit",
		calls:    []string{"renameat"},
		patches: []drive.Patch{{
			File: "internal/store/sealed.go",
			Old:  "end != run.State.Line && ",
			New:  "false && end != \"\" && ",
		}},
	},
	{"a change is not announced in the seal", "exit", []string{"renameat"}, false, []drive.Patch{
		{
			File: "internal/store/seal.go",
			Old: "\tif err := s.seals.Save(run.record); err != nil {\n\t\treturn err\n\t}\n" +
				"\twait, err := s.within(do)",
			New: "\twait, err := s.within(do)",
		},
	}},
	{"the budget is saved before the line", "exit", []string{"write"}, false, []drive.Patch{
		{
			File: "internal/store/save.go", Old: "\t\tdefer draft.drop()\n",
			New: "\t\tdefer draft.drop()\n\t\tif err = s.SaveBudget(budgetPath, b); err != nil {\n" +
				"\t\t\treturn false, err\n\t\t}\n",
		},
	}},
	{"the budget takes its place unsynced", "exit", nil, false, []drive.Patch{
		{File: "internal/store/disk.go", Old: "\t\t\tfailed = f.Sync()\n", New: ""},
	}},
	{"the budget takes its place before the line is synced", "exit", nil, false, []drive.Patch{
		{
			File: "internal/store/append.go", Old: ", h.disk.sync(h.f, h.name))",
			New: ")",
		},
	}},
	{"an answer is not saved", "answer", nil, false, []drive.Patch{
		{File: "internal/app/posttool.go", Old: "\t\treturn reply, v.save(t)\n", New: "\t\treturn reply, nil\n"},
	}},
	{"an answer counts before it acts", "answer-raise", []string{"renameat"}, false, []drive.Patch{
		{
			File: "internal/app/visit.go", Old: "\tif err := v.files.SaveBudget(t.BudgetPath, t.Budget); err != nil {\n\t\treturn err\n\t}\n\treturn v.files.SaveTick(t.Tick)\n",
			New: "\tif err := v.files.SaveTick(t.Tick); err != nil {\n\t\treturn err\n\t}\n\treturn v.files.SaveBudget(t.BudgetPath, t.Budget)\n",
		},
	}},
	{"a lock that was left is held", "exit-halting", []string{"unlinkat"}, false, []drive.Patch{
		{File: "internal/loop/admit.go", Old: " || leftover(r, s)\n", New: "\n"},
	}},
	{"a refused entry leaves its iteration", "entry", []string{"renameat"}, false, []drive.Patch{
		{File: "internal/app/start.go", Old: "\t\te.undo(skill, &run)\n", New: ""},
	}},
	{"an error blocks", "exit", []string{"fsync"}, false, []drive.Patch{
		{
			File: "hooks/hook.go",
			Old:  "\t\tcomplain(errs, answer.Err)\n",
			New:  "\t\tcomplain(errs, answer.Err)\n\t\treturn 2, true\n",
		},
	}},
	{"a torn line is glued to the next", "exit-after-a-torn-line", nil, false, []drive.Patch{
		{
			File: "internal/store/append.go", Old: "\treturn start, h.cut(start)\n",
			New: "\t_ = start\n\treturn h.end, nil\n",
		},
	}},
	{"a line that failed stays", "exit", []string{"fsync"}, false, []drive.Patch{
		{File: "internal/store/append.go", Old: "return errors.Join(err, h.disk.truncate(h.name, h.end))", New: "return err"},
	}},
	{"what a dead session spent is passed over", "resume", []string{"openat"}, true, []drive.Patch{
		{File: "internal/app/abandoned.go", Old: "\tif err != nil && t.Tick.SessionID != v.ev.SessionID {", New: "\tif false && err != nil {"},
	}},
	{"tokens are counted twice", "exit", []string{"renameat"}, false, []drive.Patch{
		{File: "internal/loop/close.go", Old: "\tif s.Cursors != nil {\n\t\tb.Cursors = s.Cursors\n\t}\n", New: ""},
	}},
}
