package tracker

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// hardened overrides settings of a repository that would run a program, hide an uncommitted file,
// or make git print advice.
var hardened = [...]string{
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull,
	"-c", "safe.bareRepository=explicit", "-c", "protocol.ext.allow=never",
	"-c", "http.saveCookies=false",
	"-c", "core.trustctime=true", "-c", "core.checkStat=default", "-c", "core.ignoreStat=false",
	"-c", "sparse.expectFilesOutsideOfPatterns=false",
	"-c", "advice.graftFileDeprecated=false",
}

// overrule returns git arguments that disable the programs and files in the repository's own
// settings: content filters and, if git contacts a remote, credential helpers and cookie files.
// Filters from the user's own settings still run. The user's credential helpers do not run if the
// repository sets one. overrule fails if the name of such a setting contains "=".
func (s settings) overrule(remote bool) (args []string, err error) {
	var own settings
	overruled := map[string]bool{}
	for _, one := range s.list {
		of := func(section, name string) bool {
			return remote && strings.HasPrefix(one.key, section) &&
				strings.HasSuffix(one.key, name)
		}
		name, filter := strings.CutPrefix(one.key, "filter.")
		helper, cookies := of("credential.", ".helper"), of("http.", ".savecookies")
		switch {
		case helper, cookies:
		case filter:
			name = name[:max(0, strings.LastIndexByte(name, '.'))]
		case strings.HasPrefix(one.key, "lfs.extension."): // git-lfs runs it
			name = "lfs"
		default:
			continue
		}
		if strings.ContainsRune(name, '=') { // git would end the key there
			return nil, fmt.Errorf("the repository's config sets %q: not run", one.key)
		}
		switch {
		case helper:
			args = append(args, "-c", "credential.helper=", "-c", one.key+"=")
			continue
		case cookies:
			args = append(args, "-c", one.key+"=false")
			continue
		case overruled[name] && filter:
			continue
		}
		if len(overruled) == 0 {
			own = personal(os.Getenv)
		}
		overruled[name] = true
		for _, key := range []string{"clean", "smudge", "process", "required"} {
			key = "filter." + name + "." + key
			value := own.last(key)
			if !filter {
				value = ""
			}
			args = append(args, "-c", key+"="+value)
		}
	}
	return args, nil
}

// ownSettings returns the settings of a repository. It runs git only if the files do not show all
// of them, or if git may use another directory as the repository.
func ownSettings(ctx context.Context, dir string) (s settings, err error) {
	place, ok := findGit(filepath.Clean(dir))
	if !ok || dir == "" {
		return s, nil
	}
	if s = place.config(); !s.partial && place.certain() {
		return s, nil
	}
	out, err := ask(ctx, maxOutput, dir, "config", "--list", "--show-scope", "--includes", "-z")
	s = settings{}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i] == "local" || fields[i] == "worktree" {
			s.list = append(s.list, readListed(fields[i+1]))
		}
	}
	return s, err
}

// readListed reads one setting as `git config --list -z` prints it.
func readListed(field string) setting {
	key, value, set := strings.Cut(field, "\n")
	if !set {
		value = "true"
	}
	return setting{key, value}
}
