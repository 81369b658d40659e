package install

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/hint"
)

// Wrong is a value for which the client skips its whole settings file, hooks included.
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

// wanted are the settings that the client checks, by the type that it wants; "*" is any member or
// element. Any other setting may have any value, because the client ignores what it cannot read of
// it. Read in 2.1.329 and measured on 2.1.330; the end-to-end suite tries values of each kind.
func wanted() [][2]string {
	return [][2]string{
		{"a text", `$schema apiKeyHelper proxyAuthHelper awsCredentialExport awsAuthRefresh
			gcpAuthRefresh processWrapper attributionProject model prUrlTemplate otelHeadersHelper
			outputStyle language advisorModel agent minimumVersion requiredMinimumVersion
			requiredMaximumVersion plansDirectory timeZone autoMemoryDirectory claudeMd
			pluginTrustMessage timeFormat statusLine.command fileSuggestion.command
			attribution.commit attribution.pr remote.defaultEnvironmentId breakReminder.message
			quietHours.start quietHours.end modelOverrides.*`},
		{"true or false", `respectGitignore syncClaudeAiSkills syncClaudeAiPlugins
			wslInheritsWindowsSettings includeCoAuthoredBy includeGitInstructions
			enforceAvailableModels enableAllProjectMcpServers disableClaudeAiConnectors
			disableBundledSkills disableAllHooks disableReplyCheck disableAgentView
			disableRemoteControl disableWorkflows disableArtifact enableArtifact enableWorkflows
			workflowKeywordTriggerEnabled disableSkillShellExecution disableWindowsBashCommandSplit
			bashEditDiffEnabled respondToBashCommands allowManagedHooksOnly
			allowManagedPermissionRulesOnly allowManagedMcpServersOnly allowAllClaudeAiMcps
			allowClaudeInChromeWithManagedMcp disableCommandPluginSources disableSideloadFlags
			allowNestedModelAccessUnderForceLogin forceRemoteSettingsRefresh skipWebFetchPreflight
			spinnerTipsEnabled clawdFileProgressEnabled syntaxHighlightingDisabled
			terminalTitleFromRename alwaysThinkingEnabled fastMode fastModePerSessionOptIn
			promptSuggestionEnabled emojiCompletionEnabled awaySummaryEnabled
			responseComparisonEnabled showClearContextOnPlanAccept channelsEnabled
			prefersReducedMotion doneMeansMerged totalTokensReminderAfterUserTurn
			autoMemoryEnabled autoDreamEnabled showThinkingSummaries
			skipDangerousModePermissionPrompt skipWorkflowUsageWarning verbose autoCompactEnabled
			precomputeCompactionEnabled idleCompaction switchModelsOnFlag
			autoContinueAtUsageLimit autoScrollEnabled wheelScrollAccelerationEnabled
			fileCheckpointingEnabled showTurnDuration showMessageTimestamps
			terminalProgressBarEnabled todoFeatureEnabled remoteControlAtStartup
			isolatePeerMachines autoUploadSessions inputNeededNotifEnabled agentPushNotifEnabled
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
			permissions.additionalDirectories worktree.symlinkDirectories worktree.sparsePaths
			spinnerVerbs.verbs sandbox.excludedCommands sandbox.network.allowedDomains
			sandbox.network.deniedDomains sandbox.filesystem.allowWrite
			sandbox.filesystem.denyWrite sandbox.filesystem.denyRead`},
		{"an object", `env permissions hooks statusLine fileSuggestion worktree sandbox
			sandbox.network sandbox.filesystem enabledPlugins modelOverrides skillOverrides
			spinnerVerbs pluginConfigs remote voice breakReminder quietHours remoteTools`},
		{"true, false or an object", "attribution"},
		{"true, false or a list of texts", "enabledPlugins.*"},
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
		{"one of on, name-only, user-invocable-only, off", "skillOverrides.*"},
		{"one of default, manual, plan, acceptEdits, auto, dontAsk, bypassPermissions",
			"permissions.defaultMode"},
	}
}

// wantedHooks are the same for the entries of an event that guards: the client ignores a malformed
// entry of any other event, and skips the file for one of these.
func wantedHooks() [][2]string {
	return [][2]string{
		{"a list", "hooks.EVENT hooks.EVENT.*.hooks"},
		{"an object", "hooks.EVENT.* hooks.EVENT.*.hooks.*"},
		{"a text", `hooks.EVENT.*.matcher hooks.EVENT.*.hooks.*.command
			hooks.EVENT.*.hooks.*.url hooks.EVENT.*.hooks.*.prompt
			hooks.EVENT.*.hooks.*.if hooks.EVENT.*.hooks.*.statusMessage`},
		{"a list of texts", "hooks.EVENT.*.hooks.*.args"},
		{"a number above 0", "hooks.EVENT.*.hooks.*.timeout"},
		{"true or false", `hooks.EVENT.*.hooks.*.async hooks.EVENT.*.hooks.*.asyncRewake
			hooks.EVENT.*.hooks.*.once`},
		{"one of command, http, mcp_tool, prompt, agent", "hooks.EVENT.*.hooks.*.type"},
		{"one of bash, powershell", "hooks.EVENT.*.hooks.*.shell"},
		{"one of continue, block", "hooks.EVENT.*.hooks.*.onFailure"},
	}
}

// needed are members without which the client refuses an object; those with a third word are needed
// when the object has that type.
func needed() [][3]string {
	return [][3]string{
		{"statusLine", "type"}, {"statusLine", "command"},
		{"fileSuggestion", "type"}, {"fileSuggestion", "command"},
		{"spinnerVerbs", "mode"}, {"spinnerVerbs", "verbs"},
		{"hooks.EVENT.*", "hooks"}, {"hooks.EVENT.*.hooks.*", "type"},
		{"hooks.EVENT.*.hooks.*", "command", "command"},
		{"hooks.EVENT.*.hooks.*", "url", "http"},
		{"hooks.EVENT.*.hooks.*", "prompt", "prompt"},
		{"hooks.EVENT.*.hooks.*", "prompt", "agent"},
	}
}

// guarding are the events whose malformed entries make the client skip the file.
func guarding() []string { return []string{"PreToolUse", "PermissionRequest"} }

// WrongTypes finds the values for which the client skips the file, in the order of the file. The
// text is one valid JSON object, or empty.
func WrongTypes(text string) (found []Wrong) {
	_, text = cutBOM(text)
	if blank(text) {
		return nil
	}
	add := func(key, want string, v gjson.Result) {
		at := misplaced(text, v.Index, "")
		choice := strings.HasPrefix(want, oneOf) && v.Type == gjson.String
		found = append(found, Wrong{at.Line, at.Column, key, want, kind(v), choice})
	}
	root := rootOf(text)
	for _, row := range slices.Concat(wanted(), wantedHooks()) {
		for key := range strings.FieldsSeq(row[1]) {
			root.each(key, "", func(key string, v gjson.Result) {
				if !fits(v, row[0]) {
					add(key, row[0], v)
				}
			})
		}
	}
	for _, row := range needed() {
		root.each(row[0], "", func(key string, v gjson.Result) {
			object := look(v)
			ofType := row[2] == "" || object.member("type").Str == row[2]
			if v.IsObject() && ofType && !object.member(row[1]).Exists() {
				add(key, fmt.Sprintf("an object with %q", row[1]), v)
			}
		})
	}
	slices.SortStableFunc(found, func(a, b Wrong) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return found
}

// each calls f with every value that a dotted key leads to, and its full key: "*" is any member or
// element, EVENT an event that guards. The last of two members of one name counts, as for the
// client.
func (n node) each(key, above string, f func(key string, v gjson.Result)) {
	name, rest, deeper := strings.Cut(key, ".")
	for i, k := range n.kids {
		own := cmp.Or(k.key, strconv.Itoa(i))
		last := !slices.ContainsFunc(n.kids[i+1:], func(o kid) bool { return o.key == k.key })
		switch {
		case name == "*":
		case name == "EVENT" && slices.Contains(guarding(), k.key) && last:
		case k.key == name && last:
		default:
			continue
		}
		if deeper {
			look(k.value).each(rest, above+own+".", f)
		} else {
			f(above+own, k.value)
		}
	}
}

// checkTypes refuses a file that the client would skip, with all hooks in it.
func checkTypes(text string) error {
	for _, w := range WrongTypes(text) {
		if !w.Choice {
			return hint.New("correct that value, then run it again; nothing was changed",
				"%v; for that the client skips the whole file", w)
		}
	}
	return nil
}

const oneOf = "one of "

func fits(v gjson.Result, want string) bool {
	isText, isFlag, isNumber := v.Type == gjson.String, v.IsBool(), v.Type == gjson.Number
	whole := isNumber && v.Num == float64(int64(v.Num))
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
		return whole && v.Num >= 0
	case "a whole number of 1 or more":
		return whole && v.Num >= 1
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
	choices := strings.Split(strings.TrimPrefix(want, oneOf), ", ")
	return isText && slices.Contains(choices, v.Str)
}

func listOfTexts(v gjson.Result) bool {
	other := func(e gjson.Result) bool { return e.Type != gjson.String }
	return v.IsArray() && !slices.ContainsFunc(v.Array(), other)
}
