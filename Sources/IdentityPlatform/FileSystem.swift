internal import CIdentityPlatform

/// Determines the type of a file system, as Linux numbers it (`f_type` of statfs(2)).
package enum FileSystem {
    static let procfs: Int64 = 0x9FA0

    /// The type of the file system under a path; -1 if the system does not report it.
    package static func type(at path: String) -> Int64 {
        unsafe identity_file_system(path)
    }

    /// The name of the network file system with this type; nil for a type that is not in the list.
    ///
    /// The numbers come from `linux/magic.h` and from the file systems' own sources. FUSE is not in the list, because its type does not
    /// show whether a FUSE program reads its files from the network.
    package static func networkName(ofType type: Int64) -> String? {
        switch type {
        case 0x6969: "NFS"
        case 0x517B: "SMB"
        case 0xFF53_4D42: "CIFS"
        case 0xFE53_4D42: "SMB2"
        case 0x5346_414F, 0x6B41_4653: "AFS"
        case 0x0102_1997: "9P"
        case 0x00C3_6400: "Ceph"
        case 0x0BD0_0BD0: "Lustre"
        case 0x4750_4653: "GPFS"
        case 0x7461_636F: "OCFS2"
        case 0x0116_1970: "GFS2"
        case 0x7375_7245: "Coda"
        case 0x1983_0326: "BeeGFS"
        case 0x786F_4256: "VirtualBox shared folder"
        default: nil
        }
    }

    /// Whether files of a file system with this type may be on another machine: FUSE, and the types of ``networkName(ofType:)``.
    package static func mayBeRemote(_ type: Int64) -> Bool { type == 0x6573_5546 || networkName(ofType: type) != nil }
}
