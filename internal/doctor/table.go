package doctor

// table is every check, by group, in the order in which a person reads them.
func table() []check {
	const sensitive, ways = "sensitive data", "ways around the guard"
	return []check{
		{"registration", "home", "", nil, home},
		{"registration", "settings-files", "home", nil, settingsFiles},
		{"registration", "hooks-registered", "home settings-files", nil, hooksRegistered},
		{"registration", "registered-once", "", registered, registeredOnce},
		{"registration", "matchers", "", registered, matchers},
		{"registration", "command-form", "", registered, commandForm},
		{"registration", "hook-binary", "", registered, hookBinary},
		{"registration", "switches", "", nil, switches},
		{"registration", "governed-skills", "", registered, governedSkills},
		{"registration", "permissions", "", nil, permissions},
		{"registration", "workspace-trust", "home", nil, workspaceTrust},
		{"registration", "other-hooks", "", nil, otherHooks},

		{"client", "client-version", "", nil, clientVersion},
		{"client", "client-environment", "", nil, clientEnvironment},

		{"fired", "receipts", "", hasRun, receipts},
		{"fired", "loops-without-hooks", "", nil, loopsWithoutHooks},
		{"fired", "live", "hook-binary", wanted, live},

		{"guard", "must-deny", "hook-binary", registered, mustDeny},
		{"guard", "must-allow", "hook-binary", registered, mustAllow},
		{"guard", "self-test", "hook-binary", registered, selfTest},

		{"state", "state-files", "", hasState, stateFiles},
		{"state", "seal", "home", nil, seals},
		{"state", "history", "", hasState, historyLines},
		{"state", "locks", "", hasState, locks},
		{"state", "open-iterations", "", hasState, openIterations},
		{"state", "litter", "", hasState, litter},
		{"state", "modes", "", hasState, modes},
		{"state", "task-files", "", hasTasks, taskFiles},
		{"state", "disk", "", nil, disk},

		{"project", "repository", "git", nil, repository},
		{"project", "state-hidden", "git repository", inRepository, stateHidden},
		{"project", "audit-worktrees", "git repository", inRepository, auditWorktrees},
		{"project", "configuration", "", nil, configuration},
		{"project", "agent-logins", "", nil, agentLogins},
		{"project", "orders", "", nil, orders},
		{"project", "check-command", "", hasTasks, checkCommand},

		{"tools", "path", "hook-binary", nil, onPath},
		{"tools", "git", "", nil, gitVersion},
		{"tools", "forge-client", "", nil, forgeClient},
		{"tools", "qmd", "", nil, qmd},

		{"money", "rates", "", nil, rates},
		{"money", "models", "", hasRun, models},
		{"money", "transcripts", "", hasRun, skippedLines},

		{ways, "git-aliases", "git", nil, gitAliases},
		{ways, "gh-aliases", "", nil, ghAliases},
		{ways, "push-settings", "git", nil, pushSettings},
		{ways, "mcp-servers", "", nil, mcpServers},
		{ways, "branch-protection", "", nil, branchProtection},

		{sensitive, "redaction", "", nil, redaction},
	}
}
