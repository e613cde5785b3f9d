package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// refusing stands for the transport that must not be used, or must.
type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) { return nil, errors.New("elsewhere") }

func TestDirect(t *testing.T) {
	var gone = make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		switch q.URL.Path {
		case "/length":
			fmt.Fprintf(w, "%s %s %s %s %t", q.Method, q.Host, q.URL.RawQuery, body, q.Close)
		case "/chunks":
			for range 3 {
				fmt.Fprint(w, "piece ")
				w.(http.Flusher).Flush()
			}
		case "/hints":
			w.WriteHeader(http.StatusEarlyHints)
			fmt.Fprint(w, "after hints")
		case "/endless":
			w.(http.Flusher).Flush()
			<-q.Context().Done()
			close(gone)
		}
	}))
	defer s.Close()
	direct := &http.Client{Transport: &Direct{Else: refusing{}, Dial: new(net.Dialer).DialContext, Proxied: func(q *http.Request) bool { return q.URL.Path == "/proxied" }}}
	get := func(method, url, body string) string {
		q, err := http.NewRequest(method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := direct.Do(q)
		if err != nil {
			return err.Error()
		}
		defer func() { _ = answer.Body.Close() }()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	host := strings.TrimPrefix(s.URL, "http://")
	tests := []struct{ method, url, body, want string }{
		{http.MethodPost, s.URL + "/length?a=b", "hello", "POST " + host + " a=b hello true"},
		{http.MethodGet, s.URL + "/chunks", "", "piece piece piece "},
		{http.MethodGet, s.URL + "/hints", "", "after hints"},
		{http.MethodGet, s.URL + "/proxied", "", "elsewhere"},
		{http.MethodGet, "https://" + host + "/length", "", "elsewhere"},
		{http.MethodGet, "http://127.0.0.1:1/length", "", "connection refused"},
	}
	for _, test := range tests {
		if got := get(test.method, test.url, test.body); !strings.Contains(got, test.want) {
			t.Errorf("%s %s: want %q, got %q", test.method, test.url, test.want, got)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	q, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/endless", nil)
	answer, err := direct.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.ReadAll(answer.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("a stream whose reader has had enough: want context canceled, got %v", err)
	}
	_ = answer.Body.Close()
	<-gone // the server sees that nobody reads any more
	if _, err := direct.Do(q); !errors.Is(err, context.Canceled) {
		t.Errorf("a request whose time is over: want context canceled, got %v", err)
	}
}

// ListStream is the list as it was sent.
func TestListStream(t *testing.T) {
	for _, length := range []bool{true, false} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `[{"networkName":`)
			if !length {
				w.(http.Flusher).Flush()
			}
			fmt.Fprint(w, `"x"}]`)
		}))
		var text []byte
		err := (&Client{Base: s.URL}).ListStream(context.Background(), (&Client{}).Networks().kind, func(in io.Reader) (err error) {
			text, err = io.ReadAll(in)
			return err
		})
		if err != nil || string(text) != `[{"networkName":"x"}]` {
			t.Errorf("got %q, %v", text, err)
		}
		s.Close()
	}
}

// What the reader of a list complains about comes back.
func TestListStreamEnds(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "[]") }))
	defer s.Close()
	stop := errors.New("stop")
	err := (&Client{Base: s.URL}).ListStream(context.Background(), (&Client{}).Networks().kind, func(io.Reader) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("want the reader's error, got %v", err)
	}
}
