// SPDX-License-Identifier: Apache-2.0

package finder

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/storeconfig"
)

// prefix is the prefix of the registrations of netmasters in the store.
const prefix = record.Services + record.ServiceMaster + "/"

// answerMax is the maximum size of a store's answer, in bytes: a registration has a few hundred.
const answerMax = 1 << 20

// registry reads the records of netmasters from a store by one request. It is no client of the store: an agent has no other question for
// it.
type registry interface {
	// values returns the values below prefix from the member of the store at a URL. It blocks until the answer, or ctx ends.
	values(ctx context.Context, url string) ([][]byte, error)
}

// open returns the registry of the configured store.
func open(c *storeconfig.Config) (registry, error) {
	secure, err := c.TLS()
	if err != nil {
		return nil, err
	}
	if len(c.Etcd) > 0 {
		password, err := c.Secret.Password()
		if err != nil {
			return nil, err
		}
		return &etcd{http: transport(secure, true), user: c.Secret.User, password: password}, nil
	}
	if len(c.Consul) > 0 {
		token, err := c.Secret.Token()
		if err != nil {
			return nil, err
		}
		return &consul{http: transport(secure, false), token: token}, nil
	}
	return nil, errors.New("this store does not list netmasters for agents: name them with --netmasters")
}

// transport returns a client for one request. gRPC is HTTP/2, also without TLS.
func transport(secure *tls.Config, two bool) *http.Client {
	t := &http.Transport{TLSClientConfig: secure, DisableKeepAlives: !two}
	if two {
		t.Protocols = new(http.Protocols)
		t.Protocols.SetHTTP2(true)
		t.Protocols.SetUnencryptedHTTP2(true)
	}
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// registered queries the members of the store, one after the other, until one answers.
func (f *Finder) registered(ctx context.Context) (urls []string, err error) {
	from, err := open(&f.store)
	if err != nil {
		return nil, err
	}
	members := f.store.URLs()
	for i, url := range members {
		values, wrong := ask(ctx, from, url, len(members)-i)
		if wrong != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", url, wrong))
			continue
		}
		for _, value := range values {
			var s record.Service
			if json.Unmarshal(value, &s) == nil && s.HostAddr != "" && s.Port > 0 {
				urls = append(urls, f.scheme+"://"+net.JoinHostPort(s.HostAddr, strconv.Itoa(s.Port)))
			}
		}
		return urls, nil
	}
	return nil, err
}
