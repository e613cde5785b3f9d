package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/master/audit"
	"github.com/contiv/contiv/daemon/master/server/peer"
)

// accessConfig is what the command line says of who may do what.
type accessConfig struct {
	Proxy       string // "host:port" of the original's proxy; "": none
	AuditFile   string
	AuditSyslog string // URL
}

func (c *accessConfig) register(s *flags.Set) {
	s.String(&c.Proxy, "proxy-address", "PROXY_ADDRESS", "0.0.0.0:10000", "where clients of the original find its auth proxy, over TLS; empty for none")
	s.String(&c.AuditFile, "audit-file", "AUDIT_FILE", "", "file to which each event of the audit is appended as a line of JSON; empty for none")
	s.String(&c.AuditSyslog, "audit-syslog", "AUDIT_SYSLOG", "", "syslog server that is told each event of the audit, udp://HOST:PORT or tcp://HOST:PORT; empty for none")
}

// auditSinks are where events of the audit go beside the store.
func (c *config) auditSinks() (out []audit.Sink, err error) {
	if c.AuditFile != "" {
		f, err := audit.OpenFile(c.AuditFile)
		if err != nil {
			return nil, fmt.Errorf("--audit-file: %w", err)
		}
		out = append(out, f)
	}
	if c.AuditSyslog != "" {
		s, err := audit.NewSyslog(c.AuditSyslog)
		if err != nil {
			return nil, fmt.Errorf("--audit-syslog: %w", err)
		}
		out = append(out, s)
	}
	return out, nil
}

// passLimit is how long the leader may take to take down what others have noted.
const passLimit = 5 * time.Second

// passAudit tells the leader what this netmaster has noted.
func passAudit(e *cluster.Election, way peer.Way) func(context.Context, []model.AuditEvent) error {
	return func(ctx context.Context, part []model.AuditEvent) error {
		leader := e.Holder()
		if leader.Self || leader.Address == "" {
			return fmt.Errorf("no netmaster leads")
		}
		text, err := json.Marshal(part)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, passLimit)
		defer cancel()
		q, err := http.NewRequestWithContext(ctx, http.MethodPost, way.URL(leader.Address, audit.Path), bytes.NewReader(text))
		if err != nil {
			return err
		}
		q.Header.Set("Accept", "application/json")
		answer, err := way.HTTP.Do(q)
		if err != nil {
			return err
		}
		defer func() { _ = answer.Body.Close() }()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", leader.Address, answer.Status)
		}
		return nil
	}
}
