// SPDX-License-Identifier: Apache-2.0

// Package loadgen is a made-up cluster of Kubernetes, the same for all that measure: its objects, and the records that follow from them.
// Numbers count from 0.
package loadgen

import (
	"fmt"
	"maps"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/contiv/contiv/daemon/kube/translate"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// apps is how many values label app has in a namespace.
const apps = 20

// Crowd is a cluster. Pod i is on host h1, h2, ... and in one of the namespaces, with one of 20 labels.
type Crowd struct {
	Namespaces int
	Hosts      int
	Network    identity.Network // of all pods; its subnet is 10.0.0.0/8 or a part of it that begins there
}

// meta are a kind and a name.
func meta(kind, version, namespace, name string) (metav1.TypeMeta, metav1.ObjectMeta) {
	return metav1.TypeMeta{Kind: kind, APIVersion: version}, metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(kind + "-" + namespace + "-" + name)}
}

func (c Crowd) namespaceOf(i int) string { return fmt.Sprintf("ns%d", i%c.Namespaces) }

// Host is the label of host i.
func Host(i int) string { return fmt.Sprintf("h%d", i+1) }

// HostOf is the host of pod i. Those of a namespace, and those with one label, are on many.
func (c Crowd) HostOf(i int) int { return (i + i/c.Namespaces) % c.Hosts }

// VTEP is the tunnel address of host i.
func VTEP(i int) netip.Addr {
	return netip.AddrFrom4([4]byte{192, 168, byte(251 + i/250), byte(1 + i%250)})
}

// Namespace is namespace i.
func (c Crowd) Namespace(i int) *corev1.Namespace {
	n := &corev1.Namespace{}
	n.TypeMeta, n.ObjectMeta = meta("Namespace", "v1", "", c.namespaceOf(i))
	n.Labels = map[string]string{"name": n.Name, corev1.LabelMetadataName: n.Name}
	return n
}

// Pod is pod i, as a controller's is: with what a kubelet has written, and as large.
func (c Crowd) Pod(i int) *corev1.Pod {
	p := &corev1.Pod{}
	name := fmt.Sprintf("app%d-5d4f8c7b69-%05d", i/c.Namespaces%apps, i)
	p.TypeMeta, p.ObjectMeta = meta("Pod", "v1", c.namespaceOf(i), name)
	p.Labels = map[string]string{"app": fmt.Sprintf("app%d", i/c.Namespaces%apps), "pod-template-hash": "5d4f8c7b69"}
	yes := true
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "app-5d4f8c7b69", UID: "a3c9f4f2-7f1c-4e0b-9a63-2f0d7c0e4b11", Controller: &yes, BlockOwnerDeletion: &yes}}
	p.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kube-controller-manager", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", FieldsType: "FieldsV1",
		FieldsV1: metav1.NewFieldsV1(fields)}}
	p.Spec = corev1.PodSpec{NodeName: Host(c.HostOf(i)), ServiceAccountName: "default", Containers: []corev1.Container{{Name: "app", Image: "registry.example/shop/app:1.24.3",
		Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 80, Protocol: corev1.ProtocolTCP}}, Env: []corev1.EnvVar{{Name: "MODE", Value: "production"}},
		VolumeMounts: []corev1.VolumeMount{{Name: "kube-api-access-x7z2q", ReadOnly: true, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"}}}}}
	ip := c.Address(i).String()
	p.Status = corev1.PodStatus{Phase: corev1.PodRunning, PodIP: ip, PodIPs: []corev1.PodIP{{IP: ip}}, HostIP: "192.0.2.1"}
	for _, t := range []corev1.PodConditionType{"PodReadyToStartContainers", corev1.PodInitialized, corev1.PodReady, corev1.ContainersReady, corev1.PodScheduled} {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: t, Status: corev1.ConditionTrue})
	}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "app", Ready: true, Image: "registry.example/shop/app:1.24.3", Started: &yes,
		ImageID: "sha256:6f2e9c1d0b7a4f58930a1c2b3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60", ContainerID: "containerd://0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9"}}
	return p
}

// fields is what a managed field of a pod says.
const fields = `{"f:metadata":{"f:generateName":{},"f:labels":{".":{},"f:app":{},"f:pod-template-hash":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"a3c9f4f2-7f1c-4e0b-9a63-2f0d7c0e4b11\"}":{}}},` +
	`"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:ports":{".":{},"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{}},"f:resources":{}}},` +
	`"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}`

// Address is that of pod i.
func (c Crowd) Address(i int) netip.Addr {
	i++
	return netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
}

// Endpoint is the record of pod i's endpoint.
func (c Crowd) Endpoint(i int) record.Endpoint {
	p, at := translate.PodOf(c.Pod(i)), c.Address(i)
	four := at.As4()
	id := fmt.Sprintf("%064d", i)
	return record.Endpoint{ID: identity.Endpoint{Network: c.Network, Endpoint: id}, ContainerID: id, CommonName: p.ID.Name, Host: Host(c.HostOf(i)), VTEP: VTEP(c.HostOf(i)),
		IP: at, MAC: record.MAC(append([]byte{2, 2}, four[:]...)), Labels: maps.Clone(p.Labels), Pod: p.Pod}
}
