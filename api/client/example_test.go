// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/trust"
)

// A program outside of this repository creates a network and reads it back. The directory has the certificate of a user, as contiv cert user
// writes it.
func Example() {
	dir, address, end := netmaster() // of a cluster: "/etc/contiv/trust" and "https://192.0.2.11:9999"
	defer end()

	holder, err := trust.Open(trust.Dir(dir), trust.User)
	if err != nil {
		log.Fatal(err)
	}
	c := &client.Client{
		Base:    address, // several netmasters: joined by commas
		HTTP:    &http.Client{Transport: &http.Transport{TLSClientConfig: holder.Client(trust.Master, "")}},
		Program: "example/1.0",
		Timeout: 10 * time.Second, // while the cluster elects a leader
	}
	ctx := context.Background()
	if _, err := c.Networks().Put(ctx, &model.Network{TenantName: "default", NetworkName: "blue", Encap: "vxlan", Subnet: "10.1.1.0/24"}); err != nil {
		log.Fatal(err)
	}
	n, err := c.Networks().Get(ctx, "default", "blue")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n.NetworkName, n.Subnet)
	_, err = c.Networks().Get(ctx, "default", "green")
	var refused *model.Error
	fmt.Println(errors.As(err, &refused) && refused.Code == model.CodeNotFound)
	// Output:
	// blue 10.1.1.0/24
	// true
}

// netmaster starts a netmaster that has networks and nothing else, for clients with a certificate of its authority. It returns a directory
// with a user's certificate, its URL, and a function that ends it.
func netmaster() (dir, address string, end func()) {
	try := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	dir, err := os.MkdirTemp("", "contiv-example-")
	try(err)
	authority, err := trust.NewAuthority(time.Now())
	try(err)
	certificate, key, err := authority.PEM()
	try(err)
	try(trust.Dir(dir).SaveAuthority(certificate, key))
	for role, name := range map[trust.Role]string{trust.Master: "h1", trust.User: "ann"} {
		try(trust.Dir(dir).Certify(authority, trust.Identity{Role: role, Name: name}, time.Now(), "127.0.0.1"))
	}
	own, err := trust.Open(trust.Dir(dir), trust.Master)
	try(err)
	networks := map[string][]byte{}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method == http.MethodPost {
			networks[q.URL.Path], _ = io.ReadAll(q.Body)
		}
		w.Header().Set("Content-Type", "application/json")
		body, ok := networks[q.URL.Path]
		if !ok {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			body = []byte(`{"status":404,"code":"not-found","detail":"there is no such network"}`)
		}
		_, _ = w.Write(body)
	}))
	s.TLS = own.Server(trust.User)
	s.Listener = own.Listen(s.Listener)
	s.StartTLS()
	return dir, s.URL, func() {
		s.Close()
		_ = os.RemoveAll(dir)
	}
}
