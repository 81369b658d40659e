package install

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/hint"
)

// Wrong is a value for which the client skips its settings file whole, hooks included.
type Wrong struct {
	Line, Column int
	Key          string // as in "permissions.allow"
	Want, Got    string
	// Choice marks a text of the right type that is none of those that the client knows; a later
	// client may know more.
	Choice bool
}

func (w Wrong) String() string {
	return fmt.Sprintf("line %d, column %d: %q must be %s, this is %s",
		w.Line, w.Column, w.Key, w.Want, w.Got)
}

// wanted are the settings that the client checks, by the type that it wants. Any other setting may
// have any value: the client passes over what it cannot read of it. Read in 2.1.329 and measured
// on 2.1.330; the end-to-end suite tries values of each kind.
func wanted() [][2]string {
	return [][2]string{
		{"a text", `$schema apiKeyHelper proxyAuthHelper awsCredentialExport awsAuthRefresh
			gcpAuthRefresh processWrapper attributionProject model prUrlTemplate
			otelHeadersHelper outputStyle language advisorModel agent minimumVersion
			requiredMinimumVersion requiredMaximumVersion plansDirectory timeZone
			autoMemoryDirectory claudeMd pluginTrustMessage timeFormat statusLine.command
			fileSuggestion.command attribution.commit attribution.pr
			remote.defaultEnvironmentId
			breakReminder.message quietHours.start quietHours.end`},
		{"true or false", `respectGitignore syncClaudeAiSkills syncClaudeAiPlugins
			wslInheritsWindowsSettings includeCoAuthoredBy includeGitInstructions
			enforceAvailableModels enableAllProjectMcpServers disableClaudeAiConnectors
			disableBundledSkills disableAllHooks disableReplyCheck disableAgentView
			disableRemoteControl disableWorkflows disableArtifact enableArtifact
			enableWorkflows workflowKeywordTriggerEnabled disableSkillShellExecution
			disableWindowsBashCommandSplit bashEditDiffEnabled respondToBashCommands
			allowManagedHooksOnly allowManagedPermissionRulesOnly allowManagedMcpServersOnly
			allowAllClaudeAiMcps allowClaudeInChromeWithManagedMcp
			disableCommandPluginSources disableSideloadFlags
			allowNestedModelAccessUnderForceLogin forceRemoteSettingsRefresh
			skipWebFetchPreflight spinnerTipsEnabled clawdFileProgressEnabled
			syntaxHighlightingDisabled terminalTitleFromRename alwaysThinkingEnabled
			fastMode fastModePerSessionOptIn promptSuggestionEnabled emojiCompletionEnabled
			awaySummaryEnabled responseComparisonEnabled showClearContextOnPlanAccept
			channelsEnabled prefersReducedMotion doneMeansMerged
			totalTokensReminderAfterUserTurn autoMemoryEnabled autoDreamEnabled
			showThinkingSummaries skipDangerousModePermissionPrompt skipWorkflowUsageWarning
			verbose autoCompactEnabled precomputeCompactionEnabled idleCompaction
			switchModelsOnFlag autoContinueAtUsageLimit autoScrollEnabled
			wheelScrollAccelerationEnabled fileCheckpointingEnabled showTurnDuration
			showMessageTimestamps terminalProgressBarEnabled todoFeatureEnabled
			remoteControlAtStartup isolatePeerMachines autoUploadSessions
			inputNeededNotifEnabled agentPushNotifEnabled
			permissions.blockReadsOutsideWorkingDirectories sandbox.enabled
			sandbox.autoAllowBashIfSandboxed sandbox.allowUnsandboxedCommands
			sandbox.network.allowLocalBinding sandbox.network.allowAllUnixSockets voice.enabled
			voice.autoSubmit breakReminder.enabled quietHours.enabled
			remoteTools.allowUnattendedServing`},
		{"a whole number of 1 or more", `cleanupPeriodDays skillListingMaxDescChars
			totalTokensReminderBudget breakReminder.intervalMinutes
			breakReminder.breakThresholdMinutes`},
		{"a whole number of 0 or more", "desktopSessionCleanupPeriodDays"},
		{"a number from 0 to 1", "feedbackSurveyRate skillListingBudgetFraction"},
		{"a number", "statusLine.padding sandbox.network.httpProxyPort"},
		{"a list", `permissions.allow permissions.deny permissions.ask sshConfigs
			strictKnownMarketplaces blockedMarketplaces allowedMarketplaces`},
		{"a list of texts", `fallbackModel availableModels enabledMcpjsonServers
			disabledMcpjsonServers allowedHttpHookUrls httpHookAllowedEnvVars
			pluginSuggestionMarketplaces companyAnnouncements claudeMdExcludes
			permissions.additionalDirectories worktree.symlinkDirectories
			worktree.sparsePaths spinnerVerbs.verbs sandbox.excludedCommands
			sandbox.network.allowedDomains sandbox.network.deniedDomains
			sandbox.filesystem.allowWrite sandbox.filesystem.denyWrite
			sandbox.filesystem.denyRead`},
		{"an object", `env permissions hooks statusLine fileSuggestion worktree sandbox
			sandbox.network sandbox.filesystem enabledPlugins modelOverrides skillOverrides
			spinnerVerbs pluginConfigs remote voice breakReminder quietHours remoteTools`},
		{"true, false or an object", "attribution"},
		{"a text or a list of texts", "forceLoginOrgUUID"},
		{"one of bash, powershell", "defaultShell"},
		{"one of unrestricted, small, medium, large", "workflowSizeGuideline"},
		{"one of first-wins, merge", "parentSettingsBehavior managedSourcesBehavior"},
		{"one of notify, quiet, off", "feedbackDrafts"},
		{"one of latest, stable, rc", "autoUpdatesChannel"},
		{"one of default, fullscreen", "tui"},
		{"one of off, infinite, fixed, countdown, padded-countdown", "totalTokensReminder"},
		{"one of disable", "disableAutoMode permissions.disableBypassPermissionsMode"},
		{"one of transient, ask", "daemonColdStart"},
		{"one of fresh, head", "worktree.baseRef"},
		{"one of append, replace", "spinnerVerbs.mode"},
		{"one of hold, tap", "voice.mode"},
		{"one of command", "statusLine.type fileSuggestion.type"},
		{"one of default, manual, plan, acceptEdits, auto, dontAsk, bypassPermissions",
			"permissions.defaultMode"},
	}
}

// needed are members without which the client refuses an object.
func needed() [][2]string {
	return [][2]string{
		{"statusLine", "type"}, {"statusLine", "command"},
		{"fileSuggestion", "type"}, {"fileSuggestion", "command"},
		{"spinnerVerbs", "mode"}, {"spinnerVerbs", "verbs"},
	}
}

// WrongTypes finds the values for which the client skips the file, in the order in which they stand
// there. The text is one valid JSON object, or empty.
func WrongTypes(text string) []Wrong {
	_, text = cutBOM(text)
	if blank(text) {
		return nil
	}
	c := checker{text: text}
	root := rootOf(text)
	for _, row := range wanted() {
		for key := range strings.FieldsSeq(row[1]) {
			c.want(key, row[0], root.path(key))
		}
	}
	for _, n := range needed() {
		if v := root.path(n[0]); v.IsObject() && !root.path(n[0]+"."+n[1]).Exists() {
			c.add(n[0], fmt.Sprintf("an object with %q", n[1]), v)
		}
	}
	c.each("enabledPlugins", root, "true, false or a list of texts")
	c.each("modelOverrides", root, "a text")
	c.each("skillOverrides", root, "one of on, name-only, user-invocable-only, off")
	for _, event := range [...]string{"PreToolUse", "PermissionRequest"} {
		c.groups("hooks."+event, root.path("hooks."+event))
	}
	slices.SortFunc(c.found, func(a, b Wrong) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return c.found
}

// mistyped refuses a file that the client would skip, with all hooks in it.
func mistyped(path string) error {
	for _, w := range WrongTypes(legible(path)) {
		if !w.Choice {
			return hint.New("correct that value, then run it again; nothing was changed",
				"%s: %v; for that the client skips the whole file", path, w)
		}
	}
	return nil
}

type checker struct {
	text  string
	found []Wrong
}

func (c *checker) want(key, want string, v gjson.Result) {
	if v.Exists() && !fits(v, want) {
		c.add(key, want, v)
	}
}

func (c *checker) add(key, want string, v gjson.Result) {
	at := misplaced(c.text, v.Index, "")
	choice := strings.HasPrefix(want, oneOf) && v.Type == gjson.String
	c.found = append(c.found, Wrong{at.Line, at.Column, key, want, kind(v), choice})
}

// each holds every member of an object to one type.
func (c *checker) each(key string, root node, want string) {
	if v := root.path(key); v.IsObject() {
		for _, k := range look(v).kids {
			c.want(key+"."+k.key, want, k.value)
		}
	}
}

// groups are those of an event that guards: the client ignores a malformed entry of any other
// event, and skips the file for one of these.
func (c *checker) groups(key string, groups gjson.Result) {
	c.want(key, "a list", groups)
	for i, g := range look(groups).kids {
		at := fmt.Sprintf("%s.%d", key, i)
		c.want(at, "an object", g.value)
		if !groups.IsArray() || !g.value.IsObject() {
			continue
		}
		group := look(g.value)
		c.want(at+".matcher", "a text", group.member("matcher"))
		hooks := group.member("hooks")
		if c.want(at+".hooks", "a list", hooks); !hooks.Exists() {
			c.add(at, `an object with "hooks"`, g.value)
		}
		for n, h := range look(hooks).kids {
			c.handler(fmt.Sprintf("%s.hooks.%d", at, n), h.value)
		}
	}
}

func (c *checker) handler(at string, v gjson.Result) {
	if !v.IsObject() {
		c.add(at, "an object", v)
		return
	}
	h := look(v)
	c.want(at+".type", "one of command, http, mcp_tool, prompt, agent", h.member("type"))
	for _, n := range [...][2]string{{"type", ""}, {"command", "command"}, {"url", "http"},
		{"prompt", "prompt"}, {"prompt", "agent"}} {
		if (n[1] == "" || h.member("type").Str == n[1]) && !h.member(n[0]).Exists() {
			c.add(at, fmt.Sprintf("an object with %q", n[0]), v)
		}
	}
	for _, row := range [...][2]string{
		{"a text", "command url prompt if statusMessage"},
		{"a list of texts", "args"},
		{"a number above 0", "timeout"},
		{"true or false", "async asyncRewake once"},
		{"one of bash, powershell", "shell"},
		{"one of continue, block", "onFailure"},
	} {
		for key := range strings.FieldsSeq(row[1]) {
			c.want(at+"."+key, row[0], h.member(key))
		}
	}
}

// path is the value of a dotted key. Of two members of one name the last counts, as for the client.
func (n node) path(key string) (v gjson.Result) {
	name, rest, deeper := strings.Cut(key, ".")
	for _, k := range n.kids {
		if k.key == name {
			v = k.value
		}
	}
	if deeper && v.IsObject() {
		return look(v).path(rest)
	} else if deeper {
		return gjson.Result{}
	}
	return v
}

const oneOf = "one of "

func fits(v gjson.Result, want string) bool {
	isText, isFlag, isNumber := v.Type == gjson.String, v.IsBool(), v.Type == gjson.Number
	switch want {
	case "a text":
		return isText
	case "true or false":
		return isFlag
	case "a number":
		return isNumber
	case "a number above 0":
		return isNumber && v.Num > 0
	case "a number from 0 to 1":
		return isNumber && v.Num >= 0 && v.Num <= 1
	case "a whole number of 0 or more":
		return isNumber && v.Num >= 0 && v.Num == float64(int64(v.Num))
	case "a whole number of 1 or more":
		return isNumber && v.Num >= 1 && v.Num == float64(int64(v.Num))
	case "a list":
		return v.IsArray()
	case "a list of texts":
		return listOfTexts(v)
	case "an object":
		return v.IsObject()
	case "true, false or an object":
		return isFlag || v.IsObject()
	case "a text or a list of texts":
		return isText || listOfTexts(v)
	case "true, false or a list of texts":
		return isFlag || listOfTexts(v)
	}
	return isText && slices.Contains(strings.Split(strings.TrimPrefix(want, oneOf), ", "), v.Str)
}

func listOfTexts(v gjson.Result) bool {
	other := func(e gjson.Result) bool { return e.Type != gjson.String }
	return v.IsArray() && !slices.ContainsFunc(v.Array(), other)
}
