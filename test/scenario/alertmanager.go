// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/common/model"
)

const (
	// resend is the interval at whose multiples netmaster sends firing alerts again, and resendLate how late these may come.
	resend, resendLate = time.Minute, 10 * time.Second
)

// alertmanager is a receiver of alerts: it keeps a line for each state that an alert enters.
type alertmanager struct {
	mu      sync.Mutex
	firing  map[model.Fingerprint]bool
	lines   []string
	changed chan struct{} // holds one when a line came since it was last read
}

// ServeHTTP accepts alerts as Alertmanager does: POST /api/v2/alerts.
func (a *alertmanager) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var list []*model.Alert
	err := json.NewDecoder(q.Body).Decode(&list)
	if err != nil || q.Method != http.MethodPost || q.URL.Path != "/api/v2/alerts" {
		http.Error(w, fmt.Sprintf("%s %s: %v", q.Method, q.URL, err), http.StatusBadRequest)
		return
	}
	for _, one := range list {
		if err := one.Validate(); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	for _, one := range list {
		a.add(one, now)
	}
	select {
	case a.changed <- struct{}{}:
	default:
	}
}

// add adds a line for an alert, unless it is a regular repetition.
func (a *alertmanager) add(one *model.Alert, now time.Time) {
	state, id := one.StatusAt(now), one.Fingerprint()
	fires := state == model.AlertFiring
	switch {
	case fires && a.firing[id] && now.Sub(now.Truncate(resend)) < resendLate:
		return
	case fires == a.firing[id]:
		state = "repeated-" + state
	}
	a.firing[id] = fires
	a.lines = append(a.lines, fmt.Sprintf("%s %s %s %s", state, one.Labels["severity"], one.Labels["alertname"], one.Labels["object"]))
}

// text returns all lines.
func (a *alertmanager) text() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.lines, "\n") + "\n"
}

// doAlertmanager starts the receiver at the machine's address in the lab, and sets $alertmanager to its URL.
func (s *Session) doAlertmanager([]string) error {
	machine, err := s.addressed(pageAddress + "254") // the machine's own, in the network of netmasters
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(machine, "0"))
	if err != nil {
		return err
	}
	s.alerts = &alertmanager{firing: map[model.Fingerprint]bool{}, changed: make(chan struct{}, 1)}
	srv := &http.Server{Handler: s.alerts, ReadHeaderTimeout: time.Second}
	go func() { _ = srv.Serve(listener) }()
	s.Defer(func() { _ = srv.Close() })
	s.Setenv("alertmanager", "http://"+listener.Addr().String())
	return nil
}

// doAlerts waits until the receiver's lines match each expression; with --never, they must not match any now.
func (s *Session) doAlerts(args []string) error {
	never := len(args) > 0 && args[0] == "--never"
	if never {
		args = args[1:]
	}
	if err := need(args, 1, "alerts [--never] REGEXP..."); err != nil {
		return err
	}
	if s.alerts == nil {
		return errors.New("there is no receiver of alerts yet")
	}
	for _, pattern := range args {
		re, err := regexp.Compile("(?m)" + pattern)
		if err != nil {
			return err
		}
		if never {
			if text := s.alerts.text(); re.MatchString(text) {
				return fmt.Errorf("want no alert %s, got:\n%s", pattern, text)
			}
			continue
		}
		for late := time.After(patience); !re.MatchString(s.alerts.text()); {
			select {
			case <-s.alerts.changed:
			case <-late:
				return fmt.Errorf("want an alert %s, got:\n%s", pattern, s.alerts.text())
			}
		}
	}
	return nil
}
