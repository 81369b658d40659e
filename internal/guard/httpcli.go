package guard

import (
	"cmp"
	"strings"
)

const curlValued = `-X --request -d --data --data-raw --data-binary --data-ascii --data-urlencode --json -F --form --form-string -H
--header -u --user -o --output -A --user-agent -b --cookie -c --cookie-jar -e --referer -K --config -T --upload-file
-m --max-time -w --write-out -x --proxy -r --range -C --continue-at -D --dump-header -E --cert --cacert --capath --key
--url --connect-timeout --retry --retry-delay --retry-max-time --resolve --connect-to --interface --limit-rate -y -Y
-z --time-cond -U --proxy-user --oauth2-bearer --aws-sigv4 --request-target --url-query --unix-socket --output-dir
--variable --expand-url --expand-data --stderr --trace --trace-ascii --rate --max-redirs -P -Q -t`

// curl reads a curl command line: --next parts it into several requests.
func (f *frame) curl(argv []word) {
	start := 1
	for i := 1; i <= len(argv); i++ {
		if i == len(argv) || argv[i].text == "--next" || argv[i].text == "-:" {
			f.curlOne(argv, argv[start:i], 0)
			start = i + 1
		}
	}
}

func (f *frame) curlOne(argv, args []word, depth int) {
	fl := parseFlags(args, curlValued)
	for _, w := range fl.all("-K", "--config") {
		if depth < 3 {
			args = append(args, f.curlConfig(argv, w)...)
			fl = parseFlags(args, curlValued)
		}
	}
	if fl.on("-h", "--help", "-V", "--version") && len(fl.pos) == 0 {
		return
	}
	f.downloads(fl.all("-o", "--output"), "curl")
	body, form := f.curlBody(fl)
	q := request{argv: argv, body: body, fields: form, method: curlMethod(fl, body != "" || len(form) > 0)}
	urls := append(fl.all("--url", "--expand-url"), fl.pos...)
	target := fl.val("--request-target")
	for _, u := range urls {
		for _, one := range curlGlob(u.text) {
			q.url = one
			if target != "" {
				q.url = target
			}
			f.send(q)
		}
	}
	if len(urls) == 0 && fl.late {
		f.opaque(joinWords(argv), "what it sends is only known when it runs")
	}
}

func curlMethod(fl flags, data bool) string {
	for _, h := range fl.all("-H", "--header") {
		name, val, _ := strings.Cut(h.text, ":")
		if strings.EqualFold(name, "X-HTTP-Method-Override") {
			return strings.ToUpper(strings.TrimSpace(val))
		}
	}
	switch w, ok := fl.get("-X", "--request"); {
	case ok && !w.known():
		return hole
	case ok:
		return strings.ToUpper(w.text)
	case len(fl.all("-T", "--upload-file")) > 0:
		return "PUT"
	case fl.on("-I", "--head"), fl.on("-G", "--get"):
		return "GET"
	case data:
		return "POST"
	}
	return "GET"
}

// curlBody is what -d, --json and -F send.
func (f *frame) curlBody(fl flags) (body string, form []Field) {
	var parts []string
	for _, w := range fl.all("-d", "--data", "--data-ascii", "--data-binary", "--json", "--expand-data") {
		parts = append(parts, f.dataText(w.text))
	}
	for _, w := range fl.all("--data-raw", "--data-urlencode") {
		parts = append(parts, w.text)
	}
	for _, w := range fl.all("-T", "--upload-file") {
		parts = append(parts, f.fileText(w.text))
	}
	for _, w := range fl.all("-F", "--form", "--form-string") {
		k, v, _ := strings.Cut(w.text, "=")
		form = append(form, Field{k, f.dataText(strings.TrimPrefix(v, "<"))})
	}
	return strings.Join(parts, "&"), form
}

// dataText is a body as given, or the text of the file that @ names.
func (f *frame) dataText(s string) string {
	if file, ok := strings.CutPrefix(s, "@"); ok {
		return f.fileText(file)
	}
	return s
}

// curlConfig is a file of curl's long options as words.
func (f *frame) curlConfig(argv []word, w word) []word {
	text := f.fileText(w.text)
	if blank(text) {
		f.opaque(joinWords(argv), "the options file it reads is not known here")
		return nil
	}
	var out []word
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		i := strings.IndexAny(line, " =:\t")
		if i < 0 || strings.HasPrefix(line, "-") && len(line) < 3 {
			i = len(line)
		}
		name, val := line[:i], strings.Trim(line[i:], " =:\t")
		if !strings.HasPrefix(name, "-") {
			name = "--" + name
		}
		out = append(out, lit(name))
		if val != "" {
			if len(val) > 1 && val[0] == '"' {
				val = ansiC(strings.Trim(val, `"`))
			}
			out = append(out, lit(val))
		}
	}
	return out
}

// curlGlob spells out {a,b} and [1-3] of a URL, a few of them.
func curlGlob(url string) []string {
	i := strings.IndexByte(url, '{')
	j := strings.IndexByte(url, '}')
	if i < 0 || j < i || !strings.Contains(url[i:j], ",") {
		return []string{url}
	}
	var out []string
	for _, part := range strings.Split(url[i+1:j], ",") {
		if len(out) < maxRounds {
			out = append(out, url[:i]+part+url[j+1:])
		}
	}
	return out
}

// downloads notes files that a download leaves: their text is not known, and they may be files of the loop.
func (f *frame) downloads(files []word, how string) {
	for _, w := range files {
		f.writes(w, how+" -o "+w.show())
		if w.known() && w.text != "-" {
			f.writeFile(w.text, hole, false)
		}
	}
}

func (f *frame) wget(argv []word) {
	fl := parseFlags(argv[1:], `-O --output-document -o --output-file -P --directory-prefix -U --user-agent --header --method --body-data --body-file
--post-data --post-file -t -T -i --input-file -e --execute --user --password -a -Q -w`)
	f.downloads(fl.all("-O", "--output-document"), "wget")
	q := request{argv: argv, method: strings.ToUpper(cmp.Or(fl.val("--method"), "GET"))}
	if w, ok := fl.get("--post-data", "--body-data"); ok {
		q.body = w.text
	}
	if w, ok := fl.get("--post-file", "--body-file"); ok {
		q.body = f.fileText(w.text)
	}
	if _, ok := fl.get("--post-data", "--post-file"); ok && q.method == "GET" {
		q.method = "POST"
	}
	if unknown(q.method) {
		q.method = hole
	}
	for _, u := range fl.pos {
		q.url = u.text
		f.send(q)
	}
}

// httpie reads METHOD URL item=value …; without a method, items make it a POST.
func (f *frame) httpie(argv []word) {
	fl := parseFlags(argv[1:], "-a --auth -A --auth-type -o --output --session --timeout --proxy --verify --cert -p --print --raw --pretty -s --style")
	f.downloads(fl.all("-o", "--output"), "http")
	pos := fl.pos
	q := request{argv: argv, body: fl.val("--raw")}
	if len(pos) > 1 && (strings.ToUpper(pos[0].text) == pos[0].text && isAlpha(pos[0].text) || has("put post patch delete get", pos[0].text) || blank(pos[0].text)) {
		q.method = strings.ToUpper(pos[0].text)
		pos = pos[1:]
	}
	if len(pos) == 0 {
		return
	}
	q.url = pos[0].text
	for _, w := range pos[1:] {
		for _, sep := range []string{":=@", "=@", ":=", "==", "="} {
			if k, v, ok := strings.Cut(w.text, sep); ok {
				if strings.HasSuffix(sep, "@") {
					v = f.fileText(v)
				}
				q.fields = append(q.fields, Field{k, v})
				break
			}
		}
	}
	if q.body == "" && f.stdin != nil {
		q.body = f.stdin.text
	}
	if q.method == "" {
		q.method = "GET"
		if len(q.fields) > 0 || q.body != "" {
			q.method = "POST"
		}
	}
	f.send(q)
}

func isAlpha(s string) bool {
	for _, c := range s {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return s != ""
}
