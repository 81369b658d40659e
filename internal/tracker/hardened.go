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
	done := map[string]bool{} // filter drivers
	for _, s := range list {
		section, rest, _ := strings.Cut(s.key, ".")
		dot := max(0, strings.LastIndexByte(rest, '.'))
		driver, name := rest[:dot], rest[strings.LastIndexByte(rest, '.')+1:]
		var off []string
		switch {
		case !s.own:
		case remote && section == "credential" && name == "helper":
			off = []string{"credential.helper=", s.key + "="}
		case remote && section == "http" && name == "savecookies":
			off = []string{s.key + "=false"}
		case section == "filter" && !done[driver]:
			done[driver] = true
			for _, key := range filterKeys {
				key = "filter." + driver + key
				off = append(off, key+"="+last(list, false, key))
			}
		case strings.HasPrefix(s.key, "lfs.extension."): // git-lfs runs this program
			done["lfs"] = true
			for _, key := range filterKeys {
				off = append(off, "filter.lfs"+key+"=")
			}
		}
		if off != nil && strings.ContainsRune(s.key, '=') { // git would end the key there
			return nil, fmt.Errorf("the repository's config sets %q: not run", s.key)
		}
		for _, setting := range off {
			args = append(args, "-c", setting)
		}
	}
	return args, nil
}

var filterKeys = [...]string{".clean", ".smudge", ".process", ".required"}
