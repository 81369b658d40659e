package tracker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// setting is a git setting. The key is in the form that git prints: section and name in lower case,
// the subsection as written. own reports whether the setting comes from the repository's files and
// not from the user's or the system's.
type setting struct {
	key, value string
	own        bool
}

// listing is the git command that prints all settings. Later ones override earlier ones.
var listing = []string{"config", "--list", "--show-scope", "--includes", "-z"}

// printed holds a repository's settings as git printed them.
type printed struct {
	config, worktree string // the repository's config and config.worktree at that time
	at               time.Time
	list             []setting
	err              error
}

// known caches the settings of repositories, because one event asks several questions about a
// repository, some of them concurrently, and each question needs the settings.
var known = struct {
	sync.Mutex
	of map[gitPlace]printed
}{of: map[gitPlace]printed{}}

// maxAge bounds the age of cached settings, because changes to the user's own files go unnoticed.
const maxAge = time.Second

// settings returns the git settings that apply in a directory. It uses the cache if the entry is
// younger than maxAge and the repository's own files have not changed since. Otherwise it asks git.
func settings(ctx context.Context, dir string) (list []setting, err error) {
	place, inside := findGit(filepath.Clean(dir))
	now, same := printed{}, true
	if inside {
		path := filepath.Join(place.dir, "config.worktree")
		now.config, same = readSmall(filepath.Join(place.common, "config"))
		now.worktree, _ = readSmall(path)
		_, missing := os.Lstat(path)
		same = same && (now.worktree != "" || errors.Is(missing, fs.ErrNotExist))
	}
	known.Lock()
	defer known.Unlock()
	was, found := known.of[place]
	if found && same && was.config == now.config && was.worktree == now.worktree &&
		time.Since(was.at) < maxAge {
		return was.list, was.err
	}
	out, err := runGit(ctx, dir, nil, listing...)
	list = listed(string(out), "command") // without the -c settings of hardened
	uncompared := func(s setting) bool {
		return s.own && (!inside || strings.HasPrefix(s.key, "include"))
	}
	if same && ctx.Err() == nil && !slices.ContainsFunc(list, uncompared) {
		now.at, now.list, now.err = time.Now(), list, err
		known.of[place] = now
	}
	return list, err
}

// listed parses the output of listing and omits the settings in the scope called without.
func listed(out, without string) (list []setting) {
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		scope := fields[i]
		if scope == without {
			continue
		}
		key, value, set := strings.Cut(fields[i+1], "\n")
		if !set {
			value = "true"
		}
		list = append(list, setting{key, value, scope == "local" || scope == "worktree"})
	}
	return list
}

// last returns the last value of a key in the repository's own files (own) or in the other files.
func last(list []setting, own bool, key string) (value string) {
	for _, s := range list {
		if s.key == key && s.own == own {
			value = s.value
		}
	}
	return value
}

// hardened overrides repository settings that would run a program, write cookies, hide an
// uncommitted file, or make git print advice.
var hardened = [...]string{
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull,
	"-c", "safe.bareRepository=explicit", "-c", "protocol.ext.allow=never",
	"-c", "http.saveCookies=false",
	"-c", "core.trustctime=true", "-c", "core.checkStat=default", "-c", "core.ignoreStat=false",
	"-c", "sparse.expectFilesOutsideOfPatterns=false",
	"-c", "advice.graftFileDeprecated=false",
}

// overrule returns git arguments that disable the programs and files named in the repository's own
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
			return nil, fmt.Errorf("git was not run, because the setting %q contains =", s.key)
		}
		for _, setting := range off {
			args = append(args, "-c", setting)
		}
	}
	return args, nil
}

var filterKeys = [...]string{".clean", ".smudge", ".process", ".required"}
