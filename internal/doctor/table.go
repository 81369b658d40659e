package doctor

// table is every check, by group, in the order in which a person reads them.
func table() []check {
	return []check{
		{"registration", "home", home},
		{"registration", "settings-files", settingsFiles},
		{"registration", "hooks-registered", hooksRegistered},
		{"registration", "registered-once", registeredOnce},
		{"registration", "matchers", matchers},
		{"registration", "command-form", commandForm},
		{"registration", "hook-binary", hookBinary},
		{"registration", "switches", switches},
		{"registration", "permissions", permissions},
		{"registration", "workspace-trust", workspaceTrust},
		{"registration", "other-hooks", otherHooks},

		{"client", "client-version", clientVersion},
		{"client", "client-environment", clientEnvironment},

		{"fired", "receipts", receipts},
		{"fired", "loops-without-hooks", loopsWithoutHooks},
		{"fired", "live", live},

		{"guard", "must-deny", mustDeny},
		{"guard", "must-allow", mustAllow},
		{"guard", "self-test", selfTest},

		{"state", "state-files", stateFiles},
		{"state", "seal", seals},
		{"state", "history", historyLines},
		{"state", "locks", locks},
		{"state", "open-iterations", openIterations},
		{"state", "litter", litter},
		{"state", "modes", modes},
		{"state", "disk", disk},

		{"project", "repository", repository},
		{"project", "state-hidden", stateHidden},
		{"project", "configuration", configuration},
		{"project", "agent-logins", agentLogins},
		{"project", "orders", orders},

		{"tools", "path", onPath},
		{"tools", "git", gitVersion},
		{"tools", "forge-client", forgeClient},
		{"tools", "qmd", qmd},

		{"money", "rates", rates},
		{"money", "models", models},
		{"money", "transcripts", skippedLines},

		{"ways round the guard", "git-aliases", gitAliases},
		{"ways round the guard", "gh-aliases", ghAliases},
		{"ways round the guard", "push-settings", pushSettings},
		{"ways round the guard", "mcp-servers", mcpServers},
		{"ways round the guard", "branch-protection", branchProtection},

		{"sensitive data", "redaction", redaction},
		{"sensitive data", "secrets-in-history", secretsInHistory},
	}
}
