// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/bundle"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/server/supportbundle"
	"github.com/contiv/contiv/identity"
)

// daemons answers requests to agents from what the bundle has of them.
type daemons struct{ from *bundle.Bundle }

// RoundTrip answers a request to the agent of a host. If the bundle lacks the answer, it returns an error with the reason.
func (d daemons) RoundTrip(q *http.Request) (*http.Response, error) {
	i := slices.IndexFunc(d.from.Manifest.Hosts, func(h bundle.Host) bool { return h.Address != "" && h.Address == q.URL.Host })
	if i < 0 {
		return nil, fmt.Errorf("the support bundle of %s knows no agent at %s", made(d.from), q.URL.Host)
	}
	host := d.from.Manifest.Hosts[i].Name
	file, ok := supportbundle.AgentFile(q.URL.Path)
	if !ok || q.Method != http.MethodGet {
		return d.answer(q, http.StatusServiceUnavailable, "text/plain", []byte(fmt.Sprintf("in a support bundle, as of %s, no switch or container can be asked about this", made(d.from)))), nil
	}
	text, ok := d.from.File(bundle.OfHost(host, file))
	if !ok {
		return d.answer(q, http.StatusServiceUnavailable, "text/plain", []byte(fmt.Sprintf("the support bundle of %s does not hold this: %s", made(d.from), d.from.Manifest.Gaps("host "+host, file)))), nil
	}
	text, err := narrowed(file, text, q.URL.Query())
	if err != nil {
		return d.answer(q, http.StatusBadRequest, "text/plain", []byte(err.Error())), nil
	}
	return d.answer(q, http.StatusOK, media(file), text), nil
}

func (daemons) answer(q *http.Request, status int, media string, text []byte) *http.Response {
	return &http.Response{Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: q,
		Header: http.Header{"Content-Type": {media}}, ContentLength: int64(len(text)), Body: io.NopCloser(bytes.NewReader(text))}
}

// narrowed returns the part of an answer that a query selects, as the agent would have selected it.
func narrowed(file string, text []byte, q url.Values) ([]byte, error) {
	of := q.Get("of")
	switch {
	case file == "flows.json" && (q.Get("owner") != "" || q.Get("table") != ""):
		owned, err := ownedBy(q.Get("owner"))
		if err != nil {
			return nil, err
		}
		table := q.Get("table")
		return only(text, func(f *model.Flow) bool {
			return owned(f.Owner) && (table == "" || f.Table == table || f.TableID == table)
		})
	case file == "rules.json" && of != "":
		return only(text, func(r *model.RuleStatus) bool { return identity.Within(r.Rule, of) })
	case file == "services.json" && of != "":
		return only(text, func(s *model.ServiceStatus) bool { return s.Service == of })
	}
	return text, nil
}

// only returns the chosen elements of a JSON list.
func only[T any](text []byte, chosen func(*T) bool) ([]byte, error) {
	var all []T
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("read the support bundle: %w", err)
	}
	kept := []T{}
	for i := range all {
		if chosen(&all[i]) {
			kept = append(kept, all[i])
		}
	}
	return json.Marshal(kept)
}

// ownedBy returns a function that reports whether flows' column Owner names the object in text. An endpoint matches by the end of its name,
// and a policy has the flows of its rules. The column does not name the groups of rules.
func ownedBy(text string) (func(owner string) bool, error) {
	ref, ok := identity.ParseRef(text)
	kind, name := ref.Kind, ref.Name
	switch {
	case text == "":
		return func(string) bool { return true }, nil
	case !ok || name == "":
		return nil, fmt.Errorf("owner %q: want KIND/NAME, such as endpoint/NAME or policy/TENANT:NAME", text)
	case kind == "group":
		return nil, fmt.Errorf("owner %q: a support bundle does not have the groups of flows' rules: name the policy, or the rule", text)
	}
	return func(owner string) bool {
		of, _ := identity.ParseRef(owner)
		switch {
		case owner == text:
			return true
		case kind == "policy":
			return of.Kind == "rule" && identity.Within(of.Name, name)
		case kind == "networkpolicy" || kind == "clusternetworkpolicy":
			return of.Kind == "classpolicy" && of.Name == strings.Replace(name, "/", ":", 1)
		case kind == "endpoint":
			return of.Kind == "endpoint" && (identity.Ends(of.Name, name) || strings.HasSuffix(of.Name, "-"+name))
		}
		return false
	}, nil
}
