// Package system asks the operating system about this process and others: the processor time that it has used, the limits on its
// files, and which process listens on a port.
package system
