// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/contiv/contiv/trust"
)

// doMember does what an operator does with "etcdctl member", at the store's member on the first host.
func (s *Session) doMember(args []string) error {
	if err := need(args, 2, "member remove|add HOST"); err != nil {
		return err
	}
	master, _, _ := strings.Cut(s.Getenv("NETMASTER"), ",")
	first, err := url.Parse(master)
	if err != nil {
		return err
	}
	own, err := trust.Open(trust.Dir(s.Getenv("CONTIV_TRUST")), trust.Master)
	if err != nil {
		return err
	}
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{"https://" + first.Hostname() + ":2379"}, TLS: own.Client(trust.Master, ""), DialTimeout: 5 * time.Second, Logger: zap.NewNop()})
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	list, err := c.MemberList(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list.Members, func(m *etcdserverpb.Member) bool { return memberHost(m) == args[1] })
	switch {
	case args[0] == "remove" && at >= 0:
		_, err = c.MemberRemove(ctx, list.Members[at].ID)
		return err
	case args[0] == "add" && at < 0:
		peer := "https://" + first.Hostname()[:strings.LastIndex(first.Hostname(), ".")+1] + strings.TrimPrefix(args[1], "h") + ":2380"
		added, err := c.MemberAdd(ctx, []string{peer})
		if err != nil {
			return err
		}
		var members []string
		for _, m := range added.Members {
			members = append(members, memberHost(m)+"="+m.PeerURLs[0])
		}
		s.Setenv("members", strings.Join(members, ","))
		return nil
	}
	return fmt.Errorf("member %s %s: the members are %v", args[0], args[1], list.Members)
}

// memberHost is the host of a member: management addresses end in its number.
func memberHost(m *etcdserverpb.Member) string {
	if len(m.PeerURLs) == 0 {
		return m.Name
	}
	u, err := url.Parse(m.PeerURLs[0])
	if err != nil {
		return m.Name
	}
	return "h" + u.Hostname()[strings.LastIndex(u.Hostname(), ".")+1:]
}
