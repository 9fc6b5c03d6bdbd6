package botrun

import (
	"bufio"
	_ "embed" // for the preloads
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Bot is the identity that a bot runs with.
type Bot struct {
	URL         string // of the service
	Token       string
	Application string
	PublicKey   string
	Guild       string // "": the world has none
}

// Variables returns the variables that tell a bot which service to use and who it is: those that Bellhop documents, the names that bots
// usually have, and those of the files .env.example and .env.sample in the bot's folder, which may be missing.
func (b Bot) Variables(folder string) ([]string, error) {
	env := []string{
		"BELLHOP_URL=" + b.URL,
		"BELLHOP_BASE_URL=" + b.URL + "/api/v10",
		"BELLHOP_GATEWAY_URL=ws" + strings.TrimPrefix(b.URL, "http") + "/gateway/",
	}
	names := []string{
		"BELLHOP_BOT_TOKEN", "BELLHOP_APPLICATION_ID", "BELLHOP_PUBLIC_KEY", "BELLHOP_GUILD_ID",
		"DISCORD_TOKEN", "TOKEN", "BOT_TOKEN", "CLIENT_ID", "APPLICATION_ID", "APP_ID", "GUILD_ID", "PUBLIC_KEY",
	}
	for _, file := range []string{".env.example", ".env.sample"} {
		more, err := exampleNames(filepath.Join(folder, file))
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if value := b.value(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env, nil
}

// value returns the value of a variable by its name, or "".
func (b Bot) value(name string) string {
	name = strings.ToUpper(name)
	switch {
	case strings.Contains(name, "PUBLIC_KEY"):
		return b.PublicKey
	case strings.Contains(name, "CLIENT_ID"), strings.Contains(name, "APPLICATION_ID"), name == "APP_ID", strings.HasSuffix(name, "_APP_ID"):
		return b.Application
	case strings.Contains(name, "GUILD_ID"):
		return b.Guild
	case strings.Contains(name, "TOKEN"):
		return b.Token
	}
	return ""
}

var exampleLine = regexp.MustCompile(`^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=`)

// exampleNames returns the names of variables in a file with one NAME=VALUE in a line.
func exampleNames(file string) (names []string, err error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if m := exampleLine.FindStringSubmatch(lines.Text()); m != nil {
			names = append(names, m[1])
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return names, nil
}

//go:embed preload.mjs
var preload []byte

//go:embed sitecustomize.py
var siteCustomize []byte

// redirect writes the preloads and the certificates to a folder, and returns the variables that make a program connect to the front
// instead of Discord. environment has the variables that the program would have otherwise.
func (f *front) redirect(folder string, environment []string) ([]string, error) {
	old := func(name string) string { return valueOf(environment, name) }
	store, err := f.authority.pkcs12()
	if err != nil {
		return nil, err
	}
	certificate, trust, hosts := filepath.Join(folder, "bellhop.pem"), filepath.Join(folder, "bellhop.p12"), filepath.Join(folder, "hosts")
	known, err := os.ReadFile("/etc/hosts")
	if err != nil {
		known = nil // the machine has none
	}
	script, python := filepath.Join(folder, "preload.mjs"), filepath.Join(folder, "python")
	if err := os.Mkdir(python, 0o700); err != nil {
		return nil, err
	}
	for name, text := range map[string][]byte{
		certificate: append(systemRoots(old("SSL_CERT_FILE")), f.authority.pem()...), trust: store, hosts: hostsFile(known), script: preload, filepath.Join(python, "sitecustomize.py"): siteCustomize,
	} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			return nil, err
		}
	}
	_, port, err := net.SplitHostPort(f.tls.Addr().String())
	if err != nil {
		return nil, err
	}
	host, proxyPort, err := net.SplitHostPort(f.proxy.Addr().String())
	if err != nil {
		return nil, err
	}
	_, socksPort, err := net.SplitHostPort(f.socks.Addr().String())
	if err != nil {
		return nil, err
	}
	proxy := "http://" + f.proxy.Addr().String()
	env := []string{
		"BELLHOP_RUN_PORT=" + port,
		"npm_config_update_notifier=false", // npm asks its registry by itself
		"NODE_OPTIONS=" + joined(" ", old("NODE_OPTIONS"), "--import=file://"+filepath.ToSlash(script)),
		"PYTHONPATH=" + joined(string(filepath.ListSeparator), python, old("PYTHONPATH")),
		"JAVA_TOOL_OPTIONS=" + joined(" ", old("JAVA_TOOL_OPTIONS"), "-Dhttps.proxyHost="+host, "-Dhttps.proxyPort="+proxyPort,
			"-DsocksProxyHost="+host, "-DsocksProxyPort="+socksPort, "-Djdk.net.hosts.file="+hosts,
			"-Djavax.net.ssl.trustStore="+trust, "-Djavax.net.ssl.trustStorePassword="+storePassword, "-Djavax.net.ssl.trustStoreType=PKCS12"),
	}
	for _, name := range []string{"SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"} {
		env = append(env, name+"="+certificate)
	}
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		env = append(env, name+"="+proxy)
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		env = append(env, name+"=127.0.0.1,localhost,::1")
	}
	return env, nil
}

// systemRoots returns the certificates that programs of this machine trust: connections that the front does not see, such as that of a
// database, need them. named is the file that the environment names, or "".
func systemRoots(named string) []byte {
	for _, name := range []string{named, "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"} {
		if text, err := os.ReadFile(name); err == nil {
			return append(text, '\n')
		}
	}
	return nil
}

// valueOf returns the value of a variable in a list of NAME=VALUE, or "".
func valueOf(environment []string, name string) string {
	for _, entry := range environment {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// joined joins the parts that are not empty.
func joined(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), separator)
}
