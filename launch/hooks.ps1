# What launch/hooks.sh does, for a Windows without Git Bash.
param([string]$Word)
$ErrorActionPreference = 'Stop'
$utf8 = New-Object System.Text.UTF8Encoding $false
try { [Console]::InputEncoding = $utf8; [Console]::OutputEncoding = $utf8 } catch { } # no console
$OutputEncoding = $utf8
$root = $env:CLAUDE_PLUGIN_ROOT
$program = "$root\bin\hooks.exe"
$version = (Get-Content -Raw "$root\.claude-plugin\plugin.json" | ConvertFrom-Json).version

function Test-Program([string]$Path, [string]$Starts) {
    if (-not (Test-Path -PathType Leaf $Path)) { return $false }
    try { return "$(& $Path version)".StartsWith($Starts) } catch { return $false }
}

function Test-Looping($Told) {
    $name, $arguments = $Told.command_name, $Told.command_args
    if ($Told.tool_input) { $name, $arguments = $Told.tool_input.skill, $Told.tool_input.args }
    if ("$name" -match '^/?(sdd|hooks):(go|start|task|audit|turn)$') { return $true }
    if ("$arguments" -notmatch '(^|\s)--loop($|[\s=])') { return $false }
    if ("$name" -match '(^|[:/])(work|review)$') { return $true }
    return "$name" -match '(^|[:/])loop$' -and "$arguments" -match '[:/](work|review)\s'
}

function Find-Program {
    $machine = if ("$env:PROCESSOR_ARCHITECTURE" -eq 'ARM64') { 'arm64' } else { 'amd64' }
    foreach ($path in "$root\bin\hooks_windows_$machine.exe", "$env:CLAUDE_PLUGIN_DATA\bin\hooks.exe",
        "$env:USERPROFILE\.local\bin\hooks.exe") {
        if (Test-Program $path "hooks $version ") { return $path }
    }
}

function Stop-Loop {
    $text = "the plugin hooks has no program here: nothing would govern this loop`n" +
        "hint: put hooks.exe $version at $program, then type the command again"
    $reply = switch ($Word) {
        'user-prompt-expansion' { @{ decision = 'block'; reason = $text } }
        'pre-tool-use' {
            @{ hookSpecificOutput = @{ hookEventName = 'PreToolUse'; permissionDecision = 'deny'
                    permissionDecisionReason = $text } }
        }
        default { @{ systemMessage = $text } }
    }
    [Console]::Out.WriteLine(($reply | ConvertTo-Json -Compress))
    exit 0
}

if ($Word -eq 'session-start' -and (Test-Path -PathType Leaf $program)) { exit 0 }
$payload = [Console]::In.ReadLine()
if ($Word -ne 'session-start') {
    if (-not (Test-Looping ($payload | ConvertFrom-Json))) { exit 0 }
    if (Test-Program $program 'hooks ') { exit 0 }
}
try {
    $found = Find-Program
    if (-not $found) { Stop-Loop }
    New-Item -ItemType Directory -Force "$root\bin" | Out-Null
    Copy-Item -Force $found $program
} catch { Stop-Loop }
$payload | & $program $Word
exit 0
