import IdentityKit

/// Private keys that are used in these tests only.
enum ClientKeys {
    static let p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgGRxM5eiXqKejhfZA
        s+0fGMLFltFM4BCY24CVSovkLJahRANCAATbRVSKPEYwuo4pVpPL1O3BBolbqwDf
        5wG2hzkClW5i4YqwekgiOzpQ7mk7HuXZgSuHbx5CTMug9r7kRKpeq/2b
        -----END PRIVATE KEY-----
        """

    /// An RSA key of 2048 bits as a private JWK.
    static let rsa: JSONObject = [
        "kty": .string("RSA"), "e": .string("AQAB"),
        "n": .string(
            "tZ0pxU3ztuNVsOvGoXz-LzLOIFuuGbmPrcFJX2ArdsgGGxBsMqE8VHtuRTnU86E2IfB0oG7RfgO8BWUpTaxi6B-HBXSgc0Wt"
                + "RQ16Mqc_Qcp2JIuayjn3v-wAmqPvIfawJjUfCLkQed2QgxIWfHxnpaX6qxYxNJbc9qnbUmMfC4P2oBmXDMHtLR0gnE386NoU"
                + "zePpI3z2gLZYSnkGyTznSAJgLINqvebEoFYudH3vGoT_0eI9etux_yUJ5ozCVYBure0SspqZrKNvrU0nj8N4KaR4N-OzHt4H"
                + "yo9WqLfkuZPHuecw_OLMY_t8NoZefvZLMl79eXNT_qblwJk2ufU1ZQ"
        ),
        "d": .string(
            "LFy6DdSHQjbQwTkumVbHXi8aU6QhaG4_zvEmY5JBu6-LckP2Mf3Zl0dZPbatMl_AMdUjH-dB6_askGLQDoWb2ViOKkJ9SPsN"
                + "oo7yuPnKhV8XscCaLGixgGN9GEkQCitQhty1-nL-N85r1OBvtrPKu5dKHk168n4hdm0yQjMtK6oEa1nhx5h_CLrsH-QyK65J"
                + "K4vvTzEb7eFtOQ-BcCOVaLZ0LSJYsrfvH5vdb91-41-qlvaQWRqrW1kAV3ibABz_8AfJ1uINsWqqVja-EA7EJBGm66HrFPX9"
                + "JuLv1ODpZtz6yvl-XT98iSITcWf-8r34PdGcBtTG1JWnvi-RqX8TQQ"
        ),
        "p": .string(
            "5C9XqMHqiUPDHW8ONyUJQWdd6m_e9LNH5F9VKeUnAcBeC_YN3HV45onmR45QnWqhGmQW_k0bGcrHzs3EDhY3kPR4pKu1JvcZ"
                + "zqaNKDIMB8vtwRsK9_CD2wCp4pESMDuLEcHgU9FLkAqnqWWhqTQLsNyjeZIgD6Z4QJVlTT3KbaE"
        ),
        "q": .string(
            "y8CK1oeCO8LgcoM46UKQqYmTOu59whvEpTZoj_gxywLd3DP8928cShXo2lus-afq5qyVBcpfcmBZ4KpQxrjN17gZk34G1k4A"
                + "vNh0DKiA6agBbYHZ_bc010rFOiRhcNoTNO0Xj8iU7a1D2tHtApVyNgoghSLK9fbdux6g43qrCUU"
        ),
        "dp": .string(
            "XFm8xJQW9A70vMjhm_flUw8et28ncSnOAuOCeD5CFzdf2L9wxLTWhZdyF6vFfLBXG3M-yxUxzrJ_Q3eLzZe4TXZkDWFhI7AG"
                + "RdiqcIYw0Eb8ppbnTYmOE-ik2QmVrueqVTl-LO4cAuQND0YOs4hY4u-pSd6WEz9wk9Li-Ov1LYE"
        ),
        "dq": .string(
            "PQ6SzFzJKw1n4wjtqgDXhuaCJzvGlb9qezPFu7bdfP976nvtx1wVdyH_qEemmx21p7B568VMOuMiq8996z7_-C_kAi3W8Ktp"
                + "Ty3yAMUR9HLzEpTB9WTMQePXHGhAhufir46I6_5ompy8Y7tasdaE5iq8ugjGF1UF9wfjoKdmz50"
        ),
        "qi": .string(
            "oKz8Sgr-nQu0y8iYZPqp-GGdlXU5Kqwr1I4zCW6dx_wOSI7m6YcB5AwC1Aqp2rOdJ1SllygSG3JUIqsIaz-l-kbb93DH6yQn"
                + "wmguwRGA9kf4758h2AT6kvqIYYnGWSDgyR1TVJPRwyL4zi5TmJe7M-alUTyPe5YxLg_V2rOffZE"
        ),
    ]
}
