package doctor

// table is every check, by group, in the order in which a person reads them.
func table() []check {
	return []check{
		{"registration", "home", "", nil, home},
		{"registration", "settings-files", "home", nil, settingsFiles},
		{"registration", "hooks-registered", "home settings-files", nil, hooksRegistered},
		{"registration", "registered-once", "", registered, registeredOnce},
		{"registration", "command-form", "", registered, commandForm},
		{"registration", "hook-binary", "", registered, hookBinary},
		{"registration", "switches", "", nil, switches},
		{"registration", "governed-skills", "", registered, governedSkills},
		{"registration", "permissions", "", nil, permissions},

		{"client", "client-version", "", nil, clientVersion},

		{"fired", "receipts", "", hasRun, receipts},
		{"fired", "loops-without-hooks", "", nil, loopsWithoutHooks},
		{"fired", "live", "hook-binary", wanted, live},

		{"guard", "self-test", "hook-binary", registered, selfTest},

		{"state", "state-files", "", hasState, stateFiles},
		{"state", "seal", "home", nil, seals},
		{"state", "history", "", hasState, historyLines},
		{"state", "locks", "", hasState, locks},
		{"state", "open-iterations", "", hasState, openIterations},
		{"state", "disk", "", nil, disk},

		{"project", "repository", "", nil, repository},
		{"project", "state-hidden", "repository", inRepository, stateHidden},
		{"project", "audit-worktrees", "repository", inRepository, auditWorktrees},
		{"project", "configuration", "", nil, configuration},

		{"tools", "path", "hook-binary", nil, onPath},
		{"tools", "forge-client", "", nil, forgeClient},

		{"money", "rates", "", nil, rates},
		{"money", "transcripts", "", hasRun, skippedLines},

		{"ways around the guard", "branch-protection", "", nil, branchProtection},
	}
}
