// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
)

// Kubectl is a kubectl command, of an administrator, to be run on this machine.
func (l *Lab) Kubectl(ctx context.Context, args ...string) (*exec.Cmd, error) {
	if l.Kubernetes == nil {
		return nil, fmt.Errorf("lab %s has no Kubernetes: contiv lab up --kubernetes makes one with it", l.Name)
	}
	return exec.CommandContext(ctx, filepath.Join(l.Kubernetes.Bin, "kube"), slices.Concat([]string{"kubectl", "--kubeconfig", l.Kubeconfig()}, args)...), nil
}

// Kubeconfig is the file by which an administrator of the cluster reaches it from this machine.
func (l *Lab) Kubeconfig() string { return filepath.Join(l.kubernetesDir(1), "admin.conf") }

// kubectl runs kubectl to its end.
func (l *Lab) kubectl(ctx context.Context, args ...string) error {
	cmd, err := l.Kubectl(ctx, args...)
	if err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", cmd, err, out)
	}
	return nil
}
