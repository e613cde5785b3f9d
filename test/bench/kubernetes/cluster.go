// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/test/bench/loadgen"
)

// inForce is how many policies and services there are, which select the pods or others of their namespace.
const inForce = 200

// namespace is that of all pods.
const namespace = "ns0"

// cluster is a lab with Kubernetes.
type cluster struct {
	lab     *lab.Lab
	network string
	serial  int
}

// kubectl runs kubectl, with objects as its standard input.
func (c *cluster) kubectl(ctx context.Context, objects []any, args ...string) error {
	cmd, err := c.lab.Kubectl(ctx, args...)
	if err != nil {
		return err
	}
	if objects != nil {
		text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": objects})
		if err != nil {
			return err
		}
		cmd.Stdin = bytes.NewReader(text)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

// fill makes policies and services of the namespace.
func (c *cluster) fill(ctx context.Context) error {
	made := loadgen.Crowd{Namespaces: 1, Hosts: 1}
	objects := []any{made.Namespace(0)}
	for i := range inForce {
		v := made.Service(i)
		v.Spec.ClusterIP, v.Spec.ClusterIPs = "", nil // as Kubernetes chooses
		objects = append(objects, made.Policy(i), v)
	}
	if err := c.kubectl(ctx, objects, "create", "-f", "-"); err != nil {
		return err
	}
	return c.kubectl(ctx, nil, "wait", "--for=create", "--timeout=60s", "--namespace", namespace, "serviceaccount/default") // pods need it
}

// burst has pods start together, and returns how long it takes until all are ready. They are gone then.
func (c *cluster) burst(ctx context.Context, n int) (took time.Duration, err error) {
	c.serial++
	batch := fmt.Sprintf("b%d", c.serial)
	var pods []any
	for i := range n {
		p := &corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}, ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("%s-%d", batch, i),
			Labels: map[string]string{"batch": batch, "app": fmt.Sprintf("app%d", i%20)}}}
		grace := int64(0)
		p.Spec = corev1.PodSpec{NodeName: loadgen.Host(0), TerminationGracePeriodSeconds: &grace,
			Containers: []corev1.Container{{Name: "c", Image: lab.AgnhostImage, Args: []string{"pause"}}}}
		pods = append(pods, p)
	}
	began := time.Now()
	if err := c.kubectl(ctx, pods, "create", "-f", "-"); err != nil {
		return 0, err
	}
	if err := c.kubectl(ctx, nil, "wait", "--namespace", namespace, "--for=condition=Ready", "--timeout=180s", "pod", "-l", "batch="+batch); err != nil {
		return 0, err
	}
	took = time.Since(began)
	return took, c.kubectl(ctx, nil, "delete", "--namespace", namespace, "--timeout=180s", "pod", "-l", "batch="+batch)
}
