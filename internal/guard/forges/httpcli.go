package forges

import (
	"cmp"
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// curlData lists the flags that make a request a POST by default, whatever their value.
const curlData = `-d --data --data-raw --data-binary --data-ascii --data-urlencode --json
-F --form --form-string`

const curlValued = curlData + ` -X --request -H --header -u --user -o --output -A --user-agent -b
--cookie -c --cookie-jar -e --referer -K --config -T --upload-file -m --max-time -w --write-out -x
--proxy -r --range -C --continue-at -D --dump-header -E --cert --cacert --capath --key --url
--connect-timeout --retry --retry-delay --retry-max-time --resolve --connect-to --interface
--limit-rate -y -Y -z --time-cond -U --proxy-user --oauth2-bearer --aws-sigv4 --request-target
--url-query --unix-socket --output-dir --variable --stderr --trace --trace-ascii --rate
--max-redirs -P -Q -t`

const curlSwitches = " --head --get --next --help --version"

// Curl reads a curl command line.
func Curl(f *plain.Frame, argv []shellword.Word) {
	args := shellword.Unabbreviated(argv[1:], curlValued+curlSwitches)
	fl := shellword.ParseFlags(args, curlValued)
	expands := func(w shellword.Word) bool {
		return strings.HasPrefix(w.Text, "--exp") && !strings.HasPrefix(w.Text, "--expect100")
	}
	if fl.On("--next", "-:") || slices.ContainsFunc(args, expands) {
		f.OpaqueForge(shellword.Join(argv), "the guard cannot read --next or --expand")
	}
	const sends = "url request data json form upload config next k x f t d " + shellword.Unknown
	for _, w := range fl.All("-K", "--config") {
		if shellword.AnyOf(shellword.NameWords(f.FileText(w.Text)), sends) {
			f.OpaqueForge(shellword.Join(argv), "a config file may change the request")
		}
	}
	if fl.On("-h", "--help", "-V", "--version") && len(fl.Pos) == 0 {
		return
	}
	_, led := fl.Get("-x", "--proxy", "--preproxy", "--connect-to", "--resolve", "--unix-socket")
	q := Request{Argv: argv, Led: led, Method: "GET"}
	uploads := fl.All("-T", "--upload-file")
	switch method := strings.TrimSpace(fl.Val("-X", "--request")); {
	case method != "":
		q.Method = strings.ToUpper(method)
	case len(uploads) > 0:
		q.Method = "PUT"
	case !fl.On("-I", "--head", "-G", "--get") && len(fl.All(strings.Fields(curlData)...)) > 0:
		q.Method = "POST"
	}
	var parts []string
	for _, w := range uploads {
		parts = append(parts, f.FileText(w.Text))
	}
	for _, w := range fl.All("-d", "--data", "--data-ascii", "--data-binary", "--json") {
		parts = append(parts, dataText(f, w.Text))
	}
	q.Body = strings.Join(append(parts, shellword.Texts(fl.All("--data-raw"))...), "&")
	for _, w := range fl.All("-F", "--form") {
		name, value, _ := strings.Cut(strings.Replace(w.Text, "=<", "=@", 1), "=")
		q.Fields = append(q.Fields, effect.Field{Path: name, Value: dataText(f, value)})
	}
	for _, w := range fl.All("--data-urlencode", "--form-string") { // in name=@x, the @ is literal
		name, value, text := strings.Cut(w.Text, "=")
		if at, file, ok := strings.Cut(w.Text, "@"); ok && !text {
			name, value = at, f.FileText(file)
		}
		q.Fields = append(q.Fields, effect.Field{Path: name, Value: value})
	}
	urls := append(fl.All("--url"), fl.Pos...)
	for _, u := range urls {
		q.URL = cmp.Or(fl.Val("--request-target"), u.Text)
		path := afterHost(strings.TrimPrefix(strings.TrimPrefix(q.URL, "http://"), "https://"))
		if from := strings.IndexAny(path, "{["); from >= 0 && !fl.On("-g", "--globoff") {
			to := strings.LastIndexAny(path, "}]") // {a,b} and [1-9] expand to several URLs
			q.URL = strings.TrimSuffix(q.URL, path) + path[:from] + shellword.Unknown +
				path[max(from, to)+1:]
		}
		Send(f, q)
	}
	if len(urls) == 0 && fl.Late {
		f.Opaque(shellword.Join(argv), "the URL is only known at run time")
	}
}

// dataText returns the contents of FILE if s is @FILE, and s itself otherwise.
func dataText(f *plain.Frame, s string) string {
	if file, ok := strings.CutPrefix(s, "@"); ok {
		return f.FileText(file)
	}
	return s
}

// Wget reads a wget command line.
func Wget(f *plain.Frame, argv []shellword.Word) {
	const valued = `-O --output-document -o --output-file -P --directory-prefix -U --user-agent
--header --method --body-data --body-file
--post-data --post-file -t -T -i --input-file -e --execute --user --password -a -Q -w --config`
	fl := shellword.ParseFlags(shellword.Unabbreviated(argv[1:], valued), valued)
	settings := shellword.Texts(fl.All("-e", "--execute"))
	for _, file := range fl.All("--config") {
		settings = append(settings, f.FileText(file.Text))
	}
	for _, text := range settings {
		const sends = "method post body input " + shellword.Unknown
		if shellword.HasPart(strings.ToLower(text), sends) {
			f.Opaque(shellword.Join(argv), "a wget setting may change the request")
		}
	}
	q := Request{Argv: argv, Method: strings.ToUpper(fl.Val("--method"))}
	_, posts := fl.Get("--post-data", "--post-file")
	if posts && q.Method == "" {
		q.Method = "POST"
	}
	q.Body = cmp.Or(fl.Val("--post-data", "--body-data"),
		f.FileText(cmp.Or(fl.Val("--post-file", "--body-file"), "/dev/null")))
	if _, ok := fl.Get("-i", "--input-file"); ok && q.orDefault().Method != "GET" {
		f.Opaque(shellword.Join(argv), "wget reads the URLs from a file")
	}
	for _, u := range fl.Pos {
		q.URL = u.Text
		Send(f, q)
	}
}

// HTTPie reads an HTTPie command line: [METHOD] URL item=value …. Without a method, items or a body
// make the request a POST.
func HTTPie(f *plain.Frame, argv []shellword.Word) {
	fl := shellword.ParseFlags(argv[1:], `-a --auth -A --auth-type -o --output --session --timeout
--proxy --verify --cert -p --print --raw --pretty -s --style
--default-scheme --max-redirects --max-headers --format-options --boundary --ssl --ciphers
--cert-key --cert-key-pass --session-read-only --response-charset --response-mime -P
--history-print --bearer --interface --resolve -m --method`)
	pos := fl.Pos
	q := Request{Argv: argv, Body: fl.Val("--raw"), Method: fl.Val("-m", "--method")}
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" + shellword.Unknown
	if len(pos) > 1 && q.Method == "" && strings.Trim(pos[0].Text, letters) == "" {
		q.Method, pos = pos[0].Text, pos[1:]
	}
	q.Method = strings.ToUpper(q.Method)
	if len(pos) == 0 {
		return
	}
	q.URL = pos[0].Text
	for _, w := range pos[1:] { // a=b, a:=5, a=@file; a==b is a query parameter
		if k, v, ok := strings.Cut(w.Text, "="); ok && !strings.HasPrefix(v, "=") {
			field := effect.Field{Path: strings.TrimSuffix(k, ":"), Value: dataText(f, v)}
			q.Fields = append(q.Fields, field)
		}
	}
	if q.Body == "" && f.Stdin != nil {
		q.Body = *f.Stdin
	}
	Send(f, q)
}
