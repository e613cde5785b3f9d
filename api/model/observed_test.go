// SPDX-License-Identifier: Apache-2.0

package model

import (
	"net/url"
	"testing"
	"time"
)

func TestObserveTakes(t *testing.T) {
	web := &ObservedEnd{Address: "10.1.1.1", Endpoint: "default:blue:lab-web", Name: "web", Network: "default:blue", Group: "default:front", Host: "h1"}
	out := &ObservedEnd{Address: "192.0.2.7"}
	node := &ObservedEnd{Address: "192.168.0.1", Host: "h2"}
	refused := Observed{Verdict: ObservedRefused, Tenant: "default", From: web, To: out, Rules: []string{"rule/default:p:r1"}}
	opened := Observed{Verdict: ObservedOpened, Tenant: "default", From: node, To: web, Service: "default:shop"}
	gap := Observed{Verdict: ObservedUnknown, Host: "h1", Reason: "it is full"}
	for _, r := range []struct {
		ask  Observe
		want [3]bool // refused, opened, gap
	}{
		{Observe{}, [3]bool{true, true, true}},
		{Observe{Denied: true}, [3]bool{true, false, true}},
		{Observe{From: "web"}, [3]bool{true, false, true}},
		{Observe{From: "lab-web"}, [3]bool{true, false, true}},
		{Observe{From: "endpoint/default:blue:lab-web"}, [3]bool{true, false, true}},
		{Observe{To: "front"}, [3]bool{false, true, true}},
		{Observe{To: "group/default:front"}, [3]bool{false, true, true}},
		{Observe{To: "group/web"}, [3]bool{false, false, true}},
		{Observe{To: "192.0.2.7"}, [3]bool{true, false, true}},
		{Observe{From: "h2"}, [3]bool{false, true, true}},
		{Observe{From: "host/h1"}, [3]bool{true, false, true}},
		{Observe{From: "absent,web", To: "192.0.2.7,192.0.2.8"}, [3]bool{true, false, true}},
		{Observe{From: "h1"}, [3]bool{false, false, true}},
		{Observe{Service: "shop"}, [3]bool{false, true, true}},
		{Observe{To: "service/shop"}, [3]bool{false, true, true}},
		{Observe{Rule: "default:p:r1"}, [3]bool{true, false, true}},
		{Observe{Rule: "rule/default:p:r1"}, [3]bool{true, false, true}},
		{Observe{Rule: "policy/default:p"}, [3]bool{true, false, true}},
		{Observe{Rule: "default:p:r"}, [3]bool{false, false, true}},
		{Observe{Tenant: "default"}, [3]bool{true, true, true}},
		{Observe{Tenant: "blue"}, [3]bool{false, false, true}},
	} {
		if got := [3]bool{r.ask.Matches(&refused), r.ask.Matches(&opened), r.ask.Matches(&gap)}; got != r.want {
			t.Errorf("%+v: want %v, got %v", r.ask, r.want, got)
		}
	}
}

func TestObserveQuery(t *testing.T) {
	for _, ask := range []Observe{{}, {From: "a", To: "b", Rule: "r", Service: "s", Tenant: "t", Denied: true, Follow: true, Since: 90 * time.Second}} {
		if got, err := ParseObserve(ask.Query()); err != nil || got != ask {
			t.Errorf("want %+v, got %+v, %v", ask, got, err)
		}
	}
	for name, text := range map[string]string{"since": "yesterday", "denied": "perhaps", "follow": "2"} {
		if _, err := ParseObserve(url.Values{name: {text}}); err == nil || AsError(err).Field != name {
			t.Errorf("%s=%s: want an error that names it, got %v", name, text, err)
		}
	}
	if _, err := ParseObserve(url.Values{"since": {"-5m"}}); err == nil {
		t.Error("a time to come: want an error")
	}
}

func TestObservedWhy(t *testing.T) {
	long := 2.04
	for want, e := range map[string]Observed{
		"rule default:p:r denies it, 3 packets":                                      {Verdict: ObservedRefused, Rules: []string{"rule/default:p:r"}, Count: 3},
		"no endpoint has that address":                                               {Verdict: ObservedDropped, Reason: "no endpoint has that address", Count: 1},
		"rule default:p:r and rule default:q:s, after 2s, sent 40 B, got 50 B":       {Verdict: ObservedClosed, Rules: []string{"rule/default:p:r", "rule/default:q:s"}, Seconds: &long, Sent: &FlowCount{Bytes: 40}, Got: &FlowCount{Bytes: 50}},
		"by service default:shop":                                                    {Verdict: ObservedOpened, Service: "default:shop"},
		"40 events were overwritten before they were read: what they say is unknown": {Verdict: ObservedUnknown, Count: 40, Reason: "40 events were overwritten before they were read: what they say is unknown"},
	} {
		if got := e.Why(); got != want {
			t.Errorf("want %q, got %q", want, got)
		}
	}
	web := &ObservedEnd{Address: "10.1.1.1", Endpoint: "default:blue:lab-web", Group: "default:front"}
	for want, e := range map[string]*ObservedEnd{"lab-web (front) 10.1.1.1": web, "host h1 192.168.0.1": {Address: "192.168.0.1", Host: "h1"}, "192.0.2.1": {Address: "192.0.2.1"}, "": nil} {
		if got := e.String(); got != want {
			t.Errorf("want %q, got %q", want, got)
		}
	}
}
