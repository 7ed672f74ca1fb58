internal import CIdentitySQLite
internal import IdentityKit
internal import IdentityPlatform

/// File systems on which other machines do not see locks, or on which locks are not reliable.
enum NetworkFileSystem {
    /// The name of a network file system, from the type that `statfs` returns; nil for others.
    ///
    /// The numbers come from `linux/magic.h` and from the file systems' own sources. FUSE is not included, because its
    /// type does not show the file system behind it.
    static func name(ofType type: Int64) -> String? {
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

    /// Whether a read may wait for another machine: on a network file system, and on FUSE, whose type does not show it.
    static func mayBeRemote(_ type: Int64) -> Bool { type == 0x6573_5546 || name(ofType: type) != nil }

    /// Refuses a directory on a network file system.
    ///
    /// - Parameters:
    ///   - directory: The path of the directory.
    ///   - type: The type that `statfs` returns for the directory.
    /// - Throws: `IdentityError` when the file system is a network file system.
    static func refuse(_ directory: String, type: Int64) throws(IdentityError) {
        guard let name = name(ofType: type) else { return }
        throw IdentityError(
            configuration: "\(directory) is on a network file system (\(name)), where locks are not reliable.",
            hint: """
                Put the store on a local disk, or share it through PostgreSQL. An app can override this at its own risk with \
                `SQLiteStore.Configuration.allowsNetworkFileSystem`.
                """
        )
    }

    /// The type that `statfs` returns for a directory.
    static func type(of directory: String) -> Int64 {
        Platform.fileSystem(at: directory)
    }
}
