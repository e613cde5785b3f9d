// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"github.com/contiv/contiv/lab/kube"
)

// startKubernetes starts the cluster and returns when all nodes are ready.
func (l *Lab) startKubernetes(ctx context.Context) error {
	images, err := l.podImages()
	if err != nil {
		return err
	}
	var running errgroup.Group
	running.Go(func() error {
		for _, part := range kube.Plane() {
			if err := l.Start(ctx, hostName(1), part); err != nil {
				return err
			}
		}
		if l.Kubernetes.Network == kube.NetworkNone {
			return nil
		}
		return l.kubectl(ctx, "apply", "-f", filepath.Join(l.kubernetesDir(1), kube.RightsFile)) // permissions of netmasters
	})
	running.Go(func() error {
		err := l.each(func(host int) error {
			return l.Start(ctx, hostName(host), PartContainerd)
		})
		if err != nil {
			return err
		}
		return l.Import(ctx, images...)
	})
	if err := running.Wait(); err != nil {
		return err
	}
	err = l.each(func(host int) error {
		for _, part := range []string{kube.Kubelet, kube.Proxy} {
			if l.args(host, part) == nil {
				continue
			}
			if err := l.Start(ctx, hostName(host), part); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := l.awaitNodes(ctx); err != nil || !l.Kubernetes.CoreDNS {
		return err
	}
	return l.startCoreDNS(ctx)
}

// startCoreDNS makes the objects of CoreDNS and waits until it answers.
func (l *Lab) startCoreDNS(ctx context.Context) error {
	objects, err := l.cluster().CoreDNS()
	if err != nil {
		return err
	}
	apply, err := l.Kubectl(ctx, "apply", "-f", "-")
	if err != nil {
		return err
	}
	apply.Stdin = bytes.NewReader(objects)
	if out, err := apply.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", apply, err, out)
	}
	if err := l.kubectl(ctx, "rollout", "status", "--namespace", "kube-system", "--timeout="+startTimeout.String(), "deployment/coredns"); err != nil {
		return err
	}
	l.printf("CoreDNS is ready")
	return nil
}

// awaitNodes returns when pods can be created: their service account exists, and all nodes are ready, or only registered if the lab does
// not make them ready.
func (l *Lab) awaitNodes(ctx context.Context) error {
	waits := [][]string{{"--for=create", "serviceaccount/default"}}
	for _, host := range l.hostNames() {
		waits = append(waits, []string{"--for=create", "node/" + host})
		if l.Kubernetes.Network != kube.NetworkNone {
			waits = append(waits, []string{"--for=condition=Ready", "node/" + host})
		}
	}
	for _, args := range waits {
		if err := l.kubectl(ctx, append([]string{"wait", "--timeout=" + startTimeout.String()}, args...)...); err != nil {
			return err
		}
	}
	if l.Kubernetes.Network == kube.NetworkNone {
		l.printf("nodes are there, and not ready before pods have a network")
	} else {
		l.printf("nodes are ready")
	}
	return nil
}

// kubernetesDir is the machine's path of kube.Dir of a host.
func (l *Lab) kubernetesDir(host int) string {
	return filepath.Join(l.hostDir(hostName(host)), filepath.Base(kube.Dir))
}

// writeKubernetes writes the files of all hosts' parts. The hosts must exist.
func (l *Lab) writeKubernetes() error {
	cluster := l.cluster()
	authority, err := kube.NewAuthority(l.Name)
	if err != nil {
		return err
	}
	for i := range l.Hosts {
		files, err := cluster.NodeFiles(authority, l.node(i+1))
		if err == nil {
			err = l.writeFiles(i+1, files)
		}
		if err != nil {
			return err
		}
	}
	files, err := cluster.PlaneFiles(authority)
	if err != nil {
		return err
	}
	return l.writeFiles(1, files)
}

func (l *Lab) writeFiles(host int, files kube.Files) error {
	dir := l.kubernetesDir(host)
	if err := os.MkdirAll(filepath.Join(dir, "static"), 0o755); err != nil {
		return err
	}
	var errs []error
	for name, text := range files {
		errs = append(errs, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	return errors.Join(errs...)
}
