// SPDX-License-Identifier: Apache-2.0

package alert

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/contiv/contiv/sanitize"
)

const (
	answerTimeout = 10 * time.Second
	answerSize    = 1 << 10 // bytes of a refusal that are read
	errorSize     = 200     // bytes of an error that are stored
	tokenSize     = 16 << 10
)

// Receiver is a client of an Alertmanager, or of a server with the same API.
type Receiver struct {
	ID  string // stable, made from the URL
	URL string

	tokenFile string // "": requests have no token
	http      *http.Client
}

// NewReceiver returns a client of the server that accepts alerts at a URL.
func NewReceiver(url, tokenFile string, transport http.RoundTripper) *Receiver {
	sum := sha256.Sum256([]byte(url))
	return &Receiver{ID: hex.EncodeToString(sum[:8]), URL: url, tokenFile: tokenFile,
		// alerts and the token are for this server only
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Send posts alerts. It blocks for at most ten seconds. After an error the receiver may or may not have them; a repetition is harmless.
func (r *Receiver) Send(ctx context.Context, alerts []*model.Alert) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if alerts == nil {
		alerts = []*model.Alert{}
	}
	body, err := json.Marshal(alerts)
	if err != nil {
		return fmt.Errorf("encode alerts: %w", err)
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	q.Header.Set("Content-Type", "application/json")
	if r.tokenFile != "" {
		token, err := readToken(r.tokenFile)
		if err != nil {
			return fmt.Errorf("--alert-token-file: %w", err)
		}
		q.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := r.http.Do(q)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	said, err := io.ReadAll(io.LimitReader(answer.Body, answerSize))
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s answers %s %s", r.URL, sanitize.Line(answer.Status, errorSize), sanitize.Line(strings.TrimSpace(string(said)), errorSize))
	}
	return err
}

// readToken reads a bearer token.
func readToken(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, tokenSize))
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, "\r\n") {
		return "", fmt.Errorf("%s: got %d lines, want one with a token", file, len(strings.Fields(token)))
	}
	return token, nil
}
