// What Evalstore uses of the SDK. The build makes a chunk of it, which is loaded when the first bucket is opened.
export {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
