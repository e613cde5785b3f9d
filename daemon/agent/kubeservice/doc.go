// SPDX-License-Identifier: Apache-2.0

// Package kubeservice translates a service of Kubernetes and its EndpointSlices for the switch of one host. It only computes.
package kubeservice
