package signin_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// pageClient opens the pages and submits their forms without a browser.
type pageClient struct {
	client http.Client
	origin string
}

func (s *service) pageClient(t *testing.T) *pageClient {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &pageClient{http.Client{Jar: jar}, s.origin}
}

var formToken = regexp.MustCompile(`name="form" value="([^"]+)"`)

// send opens a page, submits its form to a path and returns the next page.
func (c *pageClient) send(t *testing.T, page, path string, pairs ...string) string {
	t.Helper()
	found := formToken.FindStringSubmatch(c.do(t, http.MethodGet, page, ""))
	if found == nil {
		t.Fatalf("%s has no form", page)
	}
	form := url.Values{"form": {found[1]}}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return c.do(t, http.MethodPost, path, form.Encode())
}

func (c *pageClient) do(t *testing.T, method, path, form string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, c.origin+path, strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := c.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
