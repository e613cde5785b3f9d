// SPDX-License-Identifier: Apache-2.0

package client

import (
	"net/url"
	"strconv"

	"github.com/contiv/contiv/api/model"
)

// Option selects the objects of a list or a watch.
type Option func(url.Values)

// Fields selects only objects whose fields have these values: "homingHost=h1,network!=blue.default". "" is all.
func Fields(selector string) Option { return parameter("fieldSelector", selector) }

// Labels selects only objects that have these labels: "app=web,tier in (front,back)". "" is all.
func Labels(selector string) Option { return parameter("labelSelector", selector) }

// Summary requests the summary of each object, which Summarized lists have.
func Summary() Option { return parameter("summary", "true") }

// Limit is the maximum number of objects in a list, a page or an event; 0 is any number.
func Limit(n int) Option {
	if n == 0 {
		return parameter("limit", "")
	}
	return parameter("limit", strconv.Itoa(n))
}

func parameter(name, value string) Option {
	return func(q url.Values) {
		if q.Del(name); value != "" {
			q.Set(name, value)
		}
	}
}

// asked are the parameters of options.
func asked(options []Option) url.Values {
	q := url.Values{}
	for _, o := range options {
		o(q)
	}
	return q
}

// understood returns an error if a netmaster that does not support selectors was sent some: it has answered with everything.
func understood(q url.Values) error {
	for _, name := range []string{"fieldSelector", "labelSelector"} {
		if q.Has(name) {
			return model.Errorf(model.CodeUnsupported, name, "netmaster is of a version that does not select by %s", name).Try("netctl node ls shows the versions; upgrade netmaster")
		}
	}
	return nil
}
