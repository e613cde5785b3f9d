// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// verb executes a line with its two words and its fields.
type verb func(w *World, words []string, fields map[string]string) (said string, err error)

// verbs are those for endpoints and addresses:
//
//	attach NETWORK CONTAINER [group=G] [host=H] [address=A] [address6=A] [machine=M]   returns its addresses
//	detach NETWORK CONTAINER
//	start NETWORK CONTAINER [name=N] [labels=KEY:VALUE,...]               a runtime has started it
//	die NETWORK CONTAINER
//	allocate NETWORK-ID [pool=P] [address=A]                              returns the allocated address
//	release NETWORK-ID ADDRESS
//	quarantine NETWORK-ID ADDRESS [seconds=N]                             returns the end of the quarantine
//	free NETWORK-ID ADDRESS                                               reports whether it was held
//	claim HOST [vtep=A]                                                   registers a machine as the host, with its agent stopped
//	forget HOST [release=true]                                            reports what became of its endpoints
//	expire                                                                ends what has expired
func verbs() map[string]verb {
	return map[string]verb{"attach": attach, "detach": detach, "start": update("start"), "die": update("die"),
		"allocate": allocate, "release": release, "quarantine": quarantine, "free": free, "claim": claim, "forget": forget, "expire": expire}
}

func attach(w *World, words []string, fields map[string]string) (string, error) {
	e, _, err := w.Service.Create(context.Background(), model.CreateEndpointRequest{
		TenantName: tenantOf(fields), NetworkName: words[0], ServiceName: fields["group"], EndpointID: words[1], ContainerID: words[1], Machine: fields["machine"],
		ConfigEP: model.EndpointConfigRequest{Container: words[1], Host: cmp.Or(fields["host"], "h1"), IPAddress: fields["address"], IPv6Address: fields["address6"], ServiceName: fields["group"]},
	})
	return strings.TrimSpace(record.Text(e.IP) + " " + record.Text(e.IP6)), err
}

func detach(w *World, words []string, fields map[string]string) (string, error) {
	_, _, err := w.Service.Delete(context.Background(), model.DeleteEndpointRequest{TenantName: tenantOf(fields), NetworkName: words[0], EndpointID: words[1]})
	return "", err
}

func update(event string) verb {
	return func(w *World, words []string, fields map[string]string) (string, error) {
		labels := map[string]string{}
		for label := range strings.SplitSeq(fields["labels"], ",") {
			if key, value, ok := strings.Cut(label, ":"); ok {
				labels[key] = value
			}
		}
		_, err := w.Service.Update(context.Background(), model.UpdateEndpointRequest{Event: event, Tenant: tenantOf(fields), Network: words[0],
			EndpointID: words[1], ContainerID: words[1], EPCommonName: cmp.Or(fields["name"], words[1]), Labels: labels})
		return "", err
	}
}

func allocate(w *World, words []string, fields map[string]string) (string, error) {
	out, err := w.Service.Allocate(context.Background(), model.AllocAddressRequest{NetworkID: words[0], AddressPool: fields["pool"], PreferredIPv4Address: fields["address"]})
	return out.IPv4Address, err
}

func release(w *World, words []string, _ map[string]string) (string, error) {
	return "", w.Service.Release(context.Background(), model.ReleaseAddressRequest{NetworkID: words[0], IPv4Address: words[1]})
}

func quarantine(w *World, words []string, fields map[string]string) (string, error) {
	seconds, err := strconv.ParseInt(cmp.Or(fields["seconds"], "0"), 10, 64)
	if err != nil {
		return "", err
	}
	out, _, err := w.Service.Quarantine(context.Background(), model.QuarantineRequest{Network: words[0], Address: words[1], Seconds: seconds, Reason: fields["reason"]})
	if err != nil || out.Until == nil {
		return "", err
	}
	return out.Until.Format("15:04:05"), nil
}

func free(w *World, words []string, _ map[string]string) (string, error) {
	out, _, err := w.Service.Free(context.Background(), model.ReleaseRequest{Network: words[0], Address: words[1]})
	return strconv.FormatBool(out.Released), err
}

func claim(w *World, words []string, fields map[string]string) (string, error) {
	h := record.Host{Label: words[0], Machine: "machine of " + words[0]}
	if text := fields["vtep"]; text != "" {
		a, err := netip.ParseAddr(text)
		if err != nil {
			return "", err
		}
		h.VTEP = a
	}
	_, err := w.Commit.Do(context.Background(), func(tx *commit.Tx) error { return tx.Put(record.Hosts+words[0], &h) })
	return "", err
}

func expire(w *World, _ []string, _ map[string]string) (string, error) {
	return "", w.Service.ExpireNow(context.Background())
}

func forget(w *World, words []string, fields map[string]string) (string, error) {
	out, _, err := w.Service.Forget(context.Background(), words[0], fields["release"] == "true")
	return fmt.Sprintf("left %s, released %d", strings.Join(out.Endpoints, " "), out.Released), err
}
