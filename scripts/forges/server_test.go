//go:build forges

package forges

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// hosts are the names that the forges of the tests have. None of them is ever looked up: the
// clients are given a proxy on loopback, which leads every name to the test's own server.
var hosts = []string{
	"api.github.com", "github.com", "github.corp.example", "gitlab.com", "codeberg.org",
}

// forgeServer is a forge behind a proxy on loopback.
type forgeServer struct {
	t      *testing.T
	engine *engine
	// before may answer a request in the engine's place; n counts the requests of the test from 1.
	before handler
	files  map[string]string // answers of the REST API, by path

	mu      sync.Mutex
	asked   []string // method and path of each request
	queries []string // GraphQL, in order
	refused int      // queries that the schema does not know
}

// serve starts a forge and points the clients' environment at it.
func serve(t *testing.T, e *engine) *forgeServer {
	t.Helper()
	f := &forgeServer{t: t, engine: e}
	cert, ca := certificate(t)
	site := httptest.NewUnstartedServer(f)
	site.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	site.StartTLS()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tunnel(w, r, site.Listener.Addr().String())
	}))
	t.Cleanup(func() {
		proxy.CloseClientConnections()
		site.CloseClientConnections()
		proxy.Close()
		site.Close()
	})
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config"),
		"SSL_CERT_FILE": ca, "SSL_CERT_DIR": home,
		"GH_CONFIG_DIR": filepath.Join(home, "gh"), "GLAB_CONFIG_DIR": filepath.Join(home, "glab"),
		"HTTPS_PROXY": proxy.URL, "https_proxy": proxy.URL, "HTTP_PROXY": proxy.URL,
		"http_proxy": proxy.URL, "NO_PROXY": "", "no_proxy": "", "ALL_PROXY": "",
		"GH_TOKEN": "ghp_test", "GH_ENTERPRISE_TOKEN": "ghp_corp", "GITHUB_TOKEN": "",
		"GITLAB_TOKEN": "glpat-test", "GH_HOST": "", "GITLAB_HOST": "",
	} {
		t.Setenv(name, value)
	}
	for _, dir := range []string{"config", "gh", "glab"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// tunnel takes a CONNECT, wherever it wants to go, to one address.
func tunnel(w http.ResponseWriter, r *http.Request, to string) {
	if r.Method != http.MethodConnect {
		http.Error(w, "this proxy leads nowhere", http.StatusForbidden)
		return
	}
	server, err := net.Dial("tcp", to)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	client, early, err := http.NewResponseController(w).Hijack()
	if err != nil {
		server.Close()
		return
	}
	_, _ = io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() {
		_, _ = io.Copy(server, early) // what the client sent meanwhile, then the rest
		server.Close()
	}()
	_, _ = io.Copy(client, server)
	client.Close()
}

func (f *forgeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var q struct {
		Query     string
		Variables map[string]any
	}
	_ = json.Unmarshal(body, &q)
	f.mu.Lock()
	f.asked = append(f.asked, r.Method+" "+r.Host+r.URL.Path)
	n := len(f.asked)
	if q.Query != "" {
		f.queries = append(f.queries, q.Query)
	}
	f.mu.Unlock()
	if f.before != nil && f.before(n, w, r) {
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if text, ok := f.files[r.URL.Path]; ok {
		w.Header().Set("X-OAuth-Scopes", "repo, read:org")
		_, _ = io.WriteString(w, text)
		return
	}
	if q.Query == "" {
		http.Error(w, `{"message":"Not Found"}`, http.StatusNotFound)
		return
	}
	answer, wrong := f.engine.answer(q.Query, q.Variables)
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, what := range wrong {
		f.t.Errorf("the world breaks the schema: %s", what)
	}
	if len(answer) > 10 && string(answer[:10]) == `{"errors":` {
		f.refused++
	}
	_, _ = w.Write(answer)
}

// certificate is one for every host, and the file that makes the clients trust it.
func certificate(t *testing.T) (cert tls.Certificate, file string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "loopback"}, DNSNames: hosts,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}
