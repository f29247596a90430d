"""The engine of shared joins whose work is scheduled: LWO, SWF, MQT and others."""
