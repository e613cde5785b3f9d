// SPDX-License-Identifier: Apache-2.0

package aci

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// DefaultURL is the default URL of the gateway: beside netmaster.
const DefaultURL = "http://localhost:5000"

const (
	// answerTimeout bounds the gateway's answer, during which it talks to the fabric's controllers.
	answerTimeout = 30 * time.Second
	// answerSize bounds an answer, in bytes.
	answerSize = 64 << 10
)

// Gateway is a client of the gateway's REST interface.
type Gateway struct {
	URL  string       // "http://host:port"
	HTTP *http.Client // nil: http.DefaultClient
}

// Apply creates or replaces a profile and returns the gateway's text. It blocks for up to 30 seconds. After an error the gateway may or may
// not have applied it; a retry is harmless.
func (g *Gateway) Apply(ctx context.Context, s *Spec) (info string, err error) {
	return g.post(ctx, "createAppProf", s)
}

// Delete removes a profile. See Apply.
func (g *Gateway) Delete(ctx context.Context, tenant, profile string) (info string, err error) {
	return g.post(ctx, "deleteAppProf", &Spec{Tenant: tenant, Profile: profile})
}

func (g *Gateway) post(ctx context.Context, what string, s *Spec) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	text, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("encode the profile: %w", err)
	}
	url := strings.TrimSuffix(g.URL, "/") + "/" + what
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return "", fmt.Errorf("ACI gateway %s: %w", g.URL, err)
	}
	q.Header.Set("Content-Type", "application/json")
	client := http.Client{}
	if g.HTTP != nil {
		client = *g.HTTP
	}
	// a profile is for the gateway only
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := client.Do(q)
	if err != nil {
		return "", fmt.Errorf("the ACI gateway did not answer: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, answerSize))
	if err != nil {
		return "", fmt.Errorf("read the answer of %s: %w", url, err)
	}
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", url, answer.Status)
	}
	return verdict(url, body)
}

// verdict parses the gateway's answer: {"result":"success","info":"..."}.
func verdict(url string, body []byte) (info string, err error) {
	var said struct {
		Result string `json:"result"`
		Info   string `json:"info"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return "", fmt.Errorf("%s: the answer is not the gateway's: %w", url, err)
	}
	if said.Result != "success" {
		return "", fmt.Errorf("the gateway refused: %s - %s", said.Result, said.Info)
	}
	return said.Info, nil
}
