// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// runLoginOIDC logs the user in at the OpenID provider, and stores the session that netmaster starts for the provider's code.
func runLoginOIDC(ctx context.Context, f *Factory, device bool, port int) error {
	if err := f.secured(); err != nil {
		return err
	}
	ctx, end := f.interruptible(ctx)
	defer end()
	base, err := client.Bases(f.netmaster)
	if err != nil {
		return term.Exitf(term.Usage, "%w", err)
	}
	c, err := f.connect(base, "")
	if err != nil {
		return err
	}
	c.Timeout = 0 // a code is valid once, and waiting for a leader does not help with a provider that is away
	verifier := base64.RawURLEncoding.EncodeToString(random())
	var t model.Token
	if device {
		t, err = byDevice(ctx, f, c, verifier)
	} else {
		t, err = byBrowser(ctx, f, c, verifier, port)
	}
	if err != nil {
		return err
	}
	text, err := json.Marshal(t)
	if err != nil {
		return local(err)
	}
	if err := f.target.Keep(text); err != nil {
		return local(err)
	}
	return printf(f.Out, "Logged in as %s.\n", t.User)
}

func random() []byte {
	out := make([]byte, 32)
	_, _ = rand.Read(out) // never fails
	return out
}

// derived returns a public derivation of a verifier: its challenge (RFC 7636, section 4.2), or netmaster's nonce.
func derived(of, verifier string) string {
	sum := sha256.Sum256([]byte(of + verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// byBrowser waits on this machine for the browser that returns from the provider (RFC 8252, section 7.3).
func byBrowser(ctx context.Context, f *Factory, c *client.Client, verifier string, port int) (model.Token, error) {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return model.Token{}, local(err)
	}
	q := model.OIDCAuthorize{Redirect: "http://" + l.Addr().String() + "/callback", State: derived("", string(random())), Challenge: derived("", verifier), Nonce: derived("nonce of ", verifier)}
	came := make(chan returned, 1)
	front := &http.Server{Handler: callback(q.State, came), ReadHeaderTimeout: timeout}
	go func() { _ = front.Serve(l) }()
	defer func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		defer cancel()
		_ = front.Shutdown(grace) // the browser reads its answer first
	}()
	at, err := c.OIDCAuthorize(ctx, q)
	if err != nil {
		return model.Token{}, err
	}
	if err := printf(f.Out, "Log in with the browser, at\n\n  %s\n\n", at); err != nil {
		return model.Token{}, err
	}
	if err := f.Browse(at); err != nil {
		if err := printf(f.Err, "cannot open the browser (%v): open the address on this machine, or use netctl login --device\n", err); err != nil {
			return model.Token{}, err
		}
	}
	select {
	case <-ctx.Done():
		return model.Token{}, term.Exitf(term.Server, "login timed out")
	case back := <-came:
		if back.code == "" {
			return model.Token{}, term.Exitf(term.Server, "the OpenID provider refused the login: %.200q; log in again, or ask its administrator", back.why)
		}
		return c.OIDCLogin(ctx, model.OIDCLogin{Verifier: verifier, Code: back.code, Redirect: q.Redirect})
	}
}

// returned is the result in a browser's request: a code, or why there is none.
type returned struct{ code, why string }

// callback accepts the result of a browser once, if its state is right. Other clients learn nothing and end nothing.
func callback(state string, came chan<- returned) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		back, ok := readCallback(q.URL, state)
		if !ok || q.Method != http.MethodGet {
			http.Error(w, "unexpected login: netctl is waiting for another one", http.StatusBadRequest)
			return
		}
		select {
		case came <- back:
		default: // it has been here before
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("netctl continues; you can close this page\n"))
	})
}

// readCallback parses the address to which a provider has sent a browser (RFC 6749, section 4.1.2); false if its state is another one.
func readCallback(at *url.URL, state string) (returned, bool) {
	values, err := url.ParseQuery(at.RawQuery)
	if err != nil || at.Path != "/callback" || subtle.ConstantTimeCompare([]byte(values.Get("state")), []byte(state)) != 1 {
		return returned{}, false
	}
	back := returned{values.Get("code"), values.Get("error_description")}
	if back.why == "" {
		back.why = values.Get("error")
	}
	return back, back.code != "" || back.why != ""
}

// byDevice asks the user to enter a code into a browser elsewhere (RFC 8628), and asks netmaster regularly whether that was done.
func byDevice(ctx context.Context, f *Factory, c *client.Client, verifier string) (model.Token, error) {
	d, err := c.OIDCDevice(ctx, model.OIDCDeviceRequest{Challenge: derived("", verifier)})
	if err != nil {
		return model.Token{}, err
	}
	if err := printf(f.Out, "Open in a browser on any machine\n\n  %s\n\nand enter the code %s\n\n", d.URL, d.UserCode); err != nil {
		return model.Token{}, err
	}
	if d.Complete != "" {
		if err := printf(f.Out, "or open, with the code in it\n\n  %s\n\n", d.Complete); err != nil {
			return model.Token{}, err
		}
	}
	after := f.After
	if after == nil {
		after = time.After
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(d.Seconds)*time.Second)
	defer cancel()
	for every := d.Interval; ; {
		select {
		case <-ctx.Done():
			return model.Token{}, term.Exitf(term.Server, "the code was not entered in time: log in again")
		case <-after(time.Duration(every) * time.Second):
		}
		t, err := c.OIDCLogin(ctx, model.OIDCLogin{Verifier: verifier, DeviceCode: d.Code})
		switch {
		case client.IsCode(err, model.CodeNotReady):
		case client.IsCode(err, model.CodeBusy):
			every += d.Interval
		default:
			return t, err
		}
	}
}
