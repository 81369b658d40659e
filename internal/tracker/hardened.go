package tracker

import (
	"fmt"
	"os"
	"strings"
)

// hardened overrides repository settings that would run a program, hide an uncommitted file, or
// make git print advice.
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
func overrule(list []setting, remote bool) (args []string, err error) {
	overruled := map[string]bool{}
	for _, one := range list {
		of := func(section, name string) bool {
			return remote && strings.HasPrefix(one.key, section) &&
				strings.HasSuffix(one.key, name)
		}
		name, filter := strings.CutPrefix(one.key, "filter.")
		helper, cookies := of("credential.", ".helper"), of("http.", ".savecookies")
		switch {
		case !one.own:
			continue
		case helper, cookies:
		case filter:
			name = name[:max(0, strings.LastIndexByte(name, '.'))]
		case strings.HasPrefix(one.key, "lfs.extension."): // git-lfs runs this program
			name = "lfs"
		default:
			continue
		}
		if strings.ContainsRune(name, '=') { // git would end the key at the equals sign
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
		overruled[name] = true
		for _, key := range []string{"clean", "smudge", "process", "required"} {
			key = "filter." + name + "." + key
			value := last(list, false, key)
			if !filter {
				value = ""
			}
			args = append(args, "-c", key+"="+value)
		}
	}
	return args, nil
}
